"""What is written where: `public/` by whitelist, `owner/` with closed permissions; and back.

Public files are made of the fields of `ReleasedGraph` and `Certificate` alone (architecture.md,
"Whitelist, not blacklist"). One module per format; each is a pure function to bytes, so that equal
graphs and certificates give equal bytes. `writing` puts them on disk, `reading` takes them back.
"""
