"""`python -m polite_crawler.testsite`: the site, with nothing of the package around it."""

import argparse
import sys

from polite_crawler.testsite.process import serve


def _announce(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> int:
    """Serve until stopped; 1 when the port is taken."""
    parser = argparse.ArgumentParser(prog="python -m polite_crawler.testsite")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--hosts", type=int, default=9)
    options = parser.parse_args()
    try:
        serve(options.hosts, options.port, _announce)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"testsite: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
