"""The connections to an index: one a thread, none across a fork, each to the generation that answers now; and the
write transactions on them."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakSet

from polite_crawler.errors import StoreError
from polite_crawler.store import schema
from polite_crawler.store.folder import StoreFolder
from polite_crawler.store.generations import Generations

_TRIES = 5


class OwnConnection:
    """The connection of one thread of one process to one generation. It is closed when its thread is gone."""

    __slots__ = ("__weakref__", "connection", "generation", "pid")

    def __init__(self, connection: sqlite3.Connection, generation: str) -> None:
        self.connection = connection
        self.generation = generation
        self.pid = os.getpid()

    def close(self) -> None:
        """Close it; in a forked child nothing is done, for the connection is its parent's."""
        if self.pid == os.getpid():
            self.connection.close()

    def __del__(self) -> None:
        self.close()


class Connections:
    """Gives each thread its connection."""

    def __init__(self, folder: StoreFolder, generations: Generations, *, writable: bool) -> None:
        self._folder = folder
        self._generations = generations
        self._writable = writable
        self._local = threading.local()
        self._all: WeakSet[OwnConnection] = WeakSet()
        self._gate = threading.Lock()

    def get(self) -> OwnConnection:
        """The connection of this thread; a new one when another generation answers. Raises StoreError."""
        own: OwnConnection | None = getattr(self._local, "own", None)
        for left in reversed(range(_TRIES)):
            name = self._generations.current()
            if own is not None and own.generation == name and own.pid == os.getpid():
                return own
            if name is None:
                raise StoreError(f"the store {self._folder.path} has no index")
            try:
                connection = schema.connect(self._generations.database(name), writable=self._writable)
                return self._keep(OwnConnection(connection, name))
            except StoreError:
                # a rebuild may have taken the generation away since its name was read
                if not left or self._generations.current() == name:
                    raise
        raise AssertionError("unreachable")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A write transaction on the generation that answers. Raises StoreError when the index cannot take it."""
        connection = self._begin()
        try:
            yield connection
        except BaseException as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise StoreError(f"cannot write the index: {error}") from None
            raise
        try:
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise StoreError(f"cannot write the index: {error}") from None

    def _begin(self) -> sqlite3.Connection:
        for _ in range(_TRIES):
            try:
                connection = self.get().connection
                connection.execute("BEGIN IMMEDIATE")
                if connection.execute("SELECT 1 FROM meta WHERE k = 'superseded'").fetchone() is None:
                    return connection
                connection.execute("ROLLBACK")
            except sqlite3.Error as error:
                raise StoreError(f"cannot write the index: {error}") from None
            self.forget()
        raise StoreError(
            "cannot write the index: each generation that answers is superseded; pc reindex builds it again"
        )

    def _keep(self, own: OwnConnection) -> OwnConnection:
        self.forget()
        self._local.own = own
        with self._gate:
            self._all.add(own)
        return own

    def forget(self) -> None:
        """Close the connection of this thread; the next call makes a new one."""
        own: OwnConnection | None = getattr(self._local, "own", None)
        if own is not None:
            del self._local.own
            own.close()

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._gate:
            for own in self._all:
                own.close()
            self._all.clear()
        self._local = threading.local()
