"""Which version of a document is current, and since when: pure rules over the facts of its versions."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VersionFacts:
    """What the rules look at. `fetched` is epoch microseconds, `base` names the decoded body of the plain page (for
    a render: the page that it is a render of), `render` and `recipe` make a version richer."""

    id: int
    fetched: int
    capture: str
    base: str | None
    render: bool = False
    recipe: bool = False

    @property
    def age_key(self) -> tuple[int, str]:
        """The sequence of the versions: by time, then by capture id, so that each rebuild gives the same one."""
        return self.fetched, self.capture


def current_of(versions: Sequence[VersionFacts]) -> VersionFacts:
    """The current one of at least one version: the latest by fetch time, or a render of the same body, or what a
    recipe made of the same body. Of several the latest."""
    latest = max(versions, key=lambda version: version.age_key)
    if latest.base is None:
        return latest
    same = [version for version in versions if version.base == latest.base]
    return max(same, key=lambda version: (version.render, version.recipe, version.age_key))


def timeline(versions: Sequence[VersionFacts]) -> list[tuple[int, VersionFacts]]:
    """From when on which version is current: (since, version), the oldest first, one entry for each change."""
    changes: list[tuple[int, VersionFacts]] = []
    known: list[VersionFacts] = []
    for version in sorted(versions, key=lambda one: one.age_key):
        known.append(version)
        current = current_of(known)
        if changes and changes[-1][0] == version.fetched:
            changes.pop()
        if not changes or changes[-1][1] != current:
            changes.append((version.fetched, current))
    return changes
