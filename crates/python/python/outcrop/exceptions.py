"""What can go wrong, by what you can do about it.

Every exception is an :class:`OutcropError`, and most are also the built-in exception of their kind, so that
``except FileNotFoundError`` works as it does elsewhere. ``KeyboardInterrupt`` is raised as itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .result import Result


class OutcropWarning(UserWarning):
    """Something that a user should know: how edges were read, what was left out or rounded."""


class OutcropError(Exception):
    """Anything that outcrop refuses or fails to do."""

    def __str__(self) -> str:
        """Return the message."""
        return str(self.args[0]) if self.args else ""


class UsageError(OutcropError, ValueError):
    """A parameter makes no sense, alone or with the others."""


class BadInputError(OutcropError, ValueError):
    """Input that cannot be understood.

    Attributes
    ----------
    file : str
        The file, as you named it.
    line, column : int or None
        The place, counted from 1, as far as it is known.
    """

    def __init__(self, message: str, *, file: str = "", line: int | None = None, column: int | None = None) -> None:
        """Note the place."""
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column


class BudgetError(OutcropError, MemoryError):
    """The memory budget does not hold what the work needs.

    Attributes
    ----------
    minimum : int or None
        The least budget that is enough, in bytes; ``None`` where the work had begun and it is not known.
    plan : dict of str to int
        Bytes by purpose.
    """

    def __init__(self, message: str, *, minimum: int | None = None, plan: dict[str, int] | None = None) -> None:
        """Note the figures."""
        super().__init__(message)
        self.minimum = minimum
        self.plan = plan or {}


class OutOfMemoryError(OutcropError, MemoryError):
    """The system gave less memory than the budget allows.

    Attributes
    ----------
    bytes : int
        What was refused.
    """

    def __init__(self, message: str, *, bytes: int = 0) -> None:  # noqa: A002
        """Note the figure."""
        super().__init__(message)
        self.bytes = bytes


class NotConvergedError(OutcropError):
    """The iteration limit was reached before the tolerance.

    Attributes
    ----------
    result : Result or None
        The values after the last iteration.
    iterations : int
        Iterations done.
    change, tolerance : float
        The last change, and the one that was asked for.
    """

    def __init__(
        self, message: str, *, iterations: int = 0, change: float = float("nan"), tolerance: float = float("nan")
    ) -> None:
        """Note the figures."""
        super().__init__(message)
        self.result: Result | None = None
        self.iterations = iterations
        self.change = change
        self.tolerance = tolerance


class _PathError(OutcropError):
    """Something about a file or store.

    Attributes
    ----------
    path : str
        Which.
    """

    def __init__(self, message: str, *, path: str = "") -> None:
        """Note the path."""
        super().__init__(message)
        self.path = path


class _PathOSError(_PathError, OSError):
    """The same for what the operating system says."""

    def __init__(self, message: str, *, path: str = "", errno: int | None = None) -> None:
        """Note the path and the number of the error."""
        super().__init__(message, path=path)
        self.filename = path
        self.errno = errno


class CorruptStoreError(_PathError):
    """Stored data is not what was written."""


class FormatVersionError(_PathError):
    """The store was written by a newer outcrop."""


class StoreInUseError(_PathError):
    """The store is being read or written, maybe by this process: close its graphs."""


class GenerationError(_PathError):
    """The graph has had another number of updates than an update expects.

    Attributes
    ----------
    expected, found : int
        The numbers.
    """

    def __init__(self, message: str, *, path: str = "", expected: int = 0, found: int = 0) -> None:
        """Note the numbers."""
        super().__init__(message, path=path)
        self.expected = expected
        self.found = found


class NotFoundError(_PathOSError, FileNotFoundError):
    """A file or store that was named does not exist."""


class AlreadyExistsError(_PathOSError, FileExistsError):
    """A file or store stands where something was to be written, and ``overwrite=True`` was not given."""


class DiskFullError(_PathOSError):
    """The disk has too little room."""


class OutcropIOError(_PathOSError):
    """The operating system failed an operation."""


class InternalError(OutcropError, RuntimeError):
    """A bug of outcrop: please report it with the call and the message."""
