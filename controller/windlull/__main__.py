"""`python -m windlull`."""

from windlull.cli import main

if __name__ == "__main__":
    main()
