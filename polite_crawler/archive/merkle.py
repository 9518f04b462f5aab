"""Merkle trees over the lines of a log, with the hashes and the proofs of RFC 6962 section 2.1."""

import hashlib
from collections.abc import Iterable, Sequence

HASH_SIZE = 32


def leaf_hash(entry: bytes) -> bytes:
    """The hash of an entry: a zero octet before it keeps leaves and nodes apart."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Leaves:
    """The leaf hashes of a tree in their order, 32 octets each."""

    def __init__(self) -> None:
        self._hashes = bytearray()

    def __len__(self) -> int:
        return len(self._hashes) // HASH_SIZE

    def extend(self, hashes: bytes | bytearray) -> None:
        """Add leaf hashes, one behind the other."""
        self._hashes += hashes

    def root(self, size: int | None = None) -> bytes:
        """The root of the tree over the first leaves, by default over all. No leaf has the hash of nothing."""
        return self.roots((len(self) if size is None else size,))[0]

    def roots(self, sizes: Iterable[int]) -> list[bytes]:
        """The roots of the trees over the first leaves, for sizes that do not fall, in one pass."""
        found: list[bytes] = []
        stack: list[bytes] = []
        done = 0
        for size in sizes:
            if not done <= size <= len(self):
                raise ValueError(f"no tree of {size} leaves behind one of {done}")
            self._grow(stack, done, done, size)
            done = size
            found.append(_top(stack) if stack else hashlib.sha256(b"").digest())
        return found

    def proof(self, index: int, size: int | None = None) -> list[bytes]:
        """The audit path of a leaf in the tree over the first leaves: from its sibling up to the child of the root."""
        size = len(self) if size is None else size
        if not 0 <= index < size <= len(self):
            raise ValueError(f"no leaf {index} in a tree of {size}")
        path: list[bytes] = []
        start, end = 0, size
        while end - start > 1:
            middle = start + _split(end - start)
            if index < middle:
                path.append(self._root(middle, end))
                end = middle
            else:
                path.append(self._root(start, middle))
                start = middle
        return path[::-1]

    def _root(self, start: int, end: int) -> bytes:
        stack: list[bytes] = []
        self._grow(stack, 0, start, end)
        return _top(stack)

    def _grow(self, stack: list[bytes], number: int, start: int, end: int) -> None:
        """Add a range of leaves to a stack of full subtrees that holds `number` leaves: no recursion is as deep as
        the log is long."""
        for at in range(start * HASH_SIZE, end * HASH_SIZE, HASH_SIZE):
            node = bytes(self._hashes[at : at + HASH_SIZE])
            bits = number
            while bits & 1:
                node = node_hash(stack.pop(), node)
                bits >>= 1
            stack.append(node)
            number += 1


def _top(stack: Sequence[bytes]) -> bytes:
    node = stack[-1]
    for left in reversed(stack[:-1]):
        node = node_hash(left, node)
    return node


def proves(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether an audit path leads from a leaf hash to a root (RFC 9162 section 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    at, last, node = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            node = node_hash(sibling, node)
            while not at & 1 and at:
                at >>= 1
                last >>= 1
        else:
            node = node_hash(node, sibling)
        at >>= 1
        last >>= 1
    return last == 0 and node == root


def _split(size: int) -> int:
    """The largest power of two that is smaller than the size."""
    return 1 << (size - 1).bit_length() - 1
