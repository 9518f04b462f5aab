"""`python -m polite_crawler.cli NAME ...`."""

import sys

from polite_crawler.cli.frame import main

if __name__ == "__main__":
    sys.exit(main())
