"""Exceptions of outcrop.

Every exception is an :class:`OutcropError`. Most are also the corresponding built-in exception, so that
``except FileNotFoundError`` works. ``KeyboardInterrupt`` is raised as such.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .core.tables.result import Result


class OutcropWarning(UserWarning):
    """A note for the user, for example on how edges were read, skipped or rounded."""


class OutcropError(Exception):
    """Base class of all exceptions of outcrop."""

    def __str__(self) -> str:
        """Return the message."""
        return str(self.args[0]) if self.args else ""


class UsageError(OutcropError, ValueError):
    """Invalid parameter or combination of parameters."""


class BadInputError(OutcropError, ValueError):
    """Invalid input data.

    Attributes
    ----------
    file : str
        File name as given.
    line, column : int or None
        Position, counted from 1, if known.
    """

    def __init__(self, message: str, *, file: str = "", line: int | None = None, column: int | None = None) -> None:
        """Store the position."""
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column


class BudgetError(OutcropError, MemoryError):
    """Memory budget too small.

    Attributes
    ----------
    minimum : int or None
        Smallest sufficient budget in bytes; ``None`` if it is unknown because the work had started.
    plan : dict of str to int
        Bytes by purpose.
    """

    def __init__(self, message: str, *, minimum: int | None = None, plan: dict[str, int] | None = None) -> None:
        """Store the details."""
        super().__init__(message)
        self.minimum = minimum
        self.plan = plan or {}


class OutOfMemoryError(OutcropError, MemoryError):
    """The system refused memory within the budget.

    Attributes
    ----------
    bytes : int
        Refused bytes.
    """

    def __init__(self, message: str, *, bytes: int = 0) -> None:  # noqa: A002
        """Store the size."""
        super().__init__(message)
        self.bytes = bytes


class NotConvergedError(OutcropError):
    """Iteration limit reached before convergence.

    Attributes
    ----------
    result : Result or None
        Values of the last iteration.
    iterations : int
        Number of iterations.
    change, tolerance : float
        Last change and requested tolerance.
    """

    def __init__(
        self, message: str, *, iterations: int = 0, change: float = float("nan"), tolerance: float = float("nan")
    ) -> None:
        """Store the details."""
        super().__init__(message)
        self.result: Result | None = None
        self.iterations = iterations
        self.change = change
        self.tolerance = tolerance


class _PathError(OutcropError):
    """Base class of errors about a file or a store.

    Attributes
    ----------
    path : str
        Path of the file or store.
    """

    def __init__(self, message: str, *, path: str = "") -> None:
        """Store the path."""
        super().__init__(message)
        self.path = path


class _PathOSError(_PathError, OSError):
    """Base class of errors reported by the operating system."""

    def __init__(self, message: str, *, path: str = "", errno: int | None = None) -> None:
        """Store the path and the error number."""
        super().__init__(message, path=path)
        self.filename = path
        self.errno = errno


class CorruptStoreError(_PathError):
    """Stored data is damaged."""


class FormatVersionError(_PathError):
    """Store written by a newer version of outcrop."""


class StoreInUseError(_PathError):
    """Store in use by another process, or by an open graph of this process."""


class GenerationError(_PathError):
    """Store generation differs from the expected one.

    Attributes
    ----------
    expected, found : int
        Generations.
    """

    def __init__(self, message: str, *, path: str = "", expected: int = 0, found: int = 0) -> None:
        """Store the generations."""
        super().__init__(message, path=path)
        self.expected = expected
        self.found = found


class NotFoundError(_PathOSError, FileNotFoundError):
    """File or store not found."""


class AlreadyExistsError(_PathOSError, FileExistsError):
    """Output file or store already exists; pass ``overwrite=True`` to replace it."""


class DiskFullError(_PathOSError):
    """Disk full."""


class OutcropIOError(_PathOSError):
    """An operation of the operating system failed."""


class InternalError(OutcropError, RuntimeError):
    """A bug in outcrop; please report it with the call and the message."""
