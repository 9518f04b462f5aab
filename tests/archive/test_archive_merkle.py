"""The tree of the lines: its roots are those of the reference, and each leaf is proved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polite_crawler.archive.merkle import Leaves, leaf_hash, node_hash, proves


def tree_of(entries: list[bytes]) -> Leaves:
    leaves = Leaves()
    leaves.extend(b"".join(map(leaf_hash, entries)))
    return leaves


def plain_root(hashes: list[bytes]) -> bytes:
    """RFC 6962 section 2.1, word for word."""
    if len(hashes) == 1:
        return hashes[0]
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    return node_hash(plain_root(hashes[:split]), plain_root(hashes[split:]))


# the tree of RFC 6962's reference implementation (certificate-transparency, merkle_tree_test)
ENTRIES = [bytes.fromhex(text) for text in (
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
)]  # fmt: skip


ROOTS = {
    0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    4: "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    5: "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    6: "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    7: "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}


@pytest.mark.parametrize("size", ROOTS)
def test_roots_are_those_of_the_reference(size: int) -> None:
    assert tree_of(ENTRIES).root(size).hex() == ROOTS[size]


@given(st.lists(st.binary(max_size=8), min_size=1, max_size=40), st.data())
def test_each_leaf_is_proved_and_nothing_else_is(entries: list[bytes], data: st.DataObject) -> None:
    leaves = tree_of(entries)
    size = data.draw(st.integers(1, len(entries)))
    index = data.draw(st.integers(0, size - 1))
    root, proof = leaves.root(size), leaves.proof(index, size)
    leaf = leaf_hash(entries[index])
    assert root == plain_root([leaf_hash(entry) for entry in entries[:size]])
    assert proves(leaf, index, size, proof, root)
    assert not proves(leaf_hash(entries[index] + b"x"), index, size, proof, root)
    assert not proves(leaf, index, size, [*proof, leaf], root)
    assert not proves(leaf, size, size, proof, root)
    assert not proves(leaf, -1, size, proof, root)
    if proof:
        assert not proves(leaf, index, size, proof[:-1], root)
        assert not proves(leaf, index, size, [bytes(32), *proof[1:]], root)


def test_roots_of_growing_sizes_come_in_one_pass() -> None:
    leaves = tree_of(ENTRIES)
    assert [root.hex() for root in leaves.roots(sorted(ROOTS))] == [ROOTS[size] for size in sorted(ROOTS)]
    for sizes in ([3, 2], [9]):
        with pytest.raises(ValueError, match="no tree of"):
            leaves.roots(sizes)
    with pytest.raises(ValueError, match="no leaf 8"):
        leaves.proof(8)
