"""`python -m onefold` is the command `onefold`."""

from onefold.cli import main

if __name__ == "__main__":
    main()
