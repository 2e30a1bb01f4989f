"""The wizard: from a file to a bundle in the browser, on the owner's own machine. No logic.

What it computes comes from the rooms that the command line uses. Here are the server and its
guards (`server`, `guard`, `sessions`), what one window is working on (`project`, `steps`), and
one file per page (`pages/`).
"""
