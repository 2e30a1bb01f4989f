"""``python -m hushmap`` is the program itself."""

from hushmap.cli import main

if __name__ == "__main__":
    main()
