"""`python -m datacell`."""

from datacell.cli import main

main()
