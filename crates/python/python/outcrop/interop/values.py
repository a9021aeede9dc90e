"""Conversion of IDs and numbers from scalars, lists, columns, arrays and tensors.

Masked and missing entries, and IDs other than integers and strings, are errors that state the position.
"""

from __future__ import annotations

import operator
from array import array
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..exceptions import BadInputError, UsageError

Ids = bytes | list[str]
"""IDs for the extension: integers of eight bytes, or strings."""

_EXACT = 1 << 53
"""Largest integer that is exact in double precision."""


class Place(NamedTuple):
    """Name of a sequence in messages, with the unit and number of its first entry."""

    name: str
    unit: str = "position"
    start: int = 0

    def at(self, number: int) -> str:
        """Return the name of an entry.

        Examples
        --------
        >>> Place("the edges", "row", 10).at(2)
        'row 12 of the edges'
        """
        return f"{self.unit} {self.start + number} of {self.name}"


_IDS = Place("the IDs")


def is_one(values: Any) -> bool:
    """Return whether this is a single ID or number (or a zero-dimensional array)."""
    if isinstance(values, str | bytes | bytearray):
        return True
    shape = getattr(values, "shape", None)
    if shape is not None:
        return len(shape) == 0
    return not (isinstance(values, Iterable) or is_array(values))


def is_array(values: Any) -> bool:
    """Return whether these values are an array, a column or a tensor of a library."""
    return any(hasattr(values, name) for name in ("__array__", "__dlpack__", "to_numpy"))


def whole(values: Any, place: Place) -> Any:
    """Return an array, column or tensor as a NumPy array, without copying if possible.

    Raises
    ------
    BadInputError
        If an entry is masked, or Arrow data is damaged.
    """
    import numpy

    if hasattr(values, "column_names"):
        names = ", ".join(map(repr, values.column_names[:3]))
        raise TypeError(f"{place.name} must be one column, not a {type(values).__name__}; choose one of {names}")
    if type(values).__module__.startswith("pyarrow"):
        try:
            values.validate(full=True)
        except ValueError as error:
            raise BadInputError(f"{place.name}: {error}", file=place.name) from error
        return values.to_numpy(zero_copy_only=False)
    if hasattr(values, "to_numpy"):
        return values.to_numpy()
    if not hasattr(values, "__array__") and hasattr(values, "__dlpack__"):
        return numpy.from_dlpack(values)
    found = numpy.asanyarray(values)
    if isinstance(found, numpy.ma.MaskedArray):
        masked = numpy.ma.getmaskarray(found)
        if masked.any():
            row = int(masked.reshape(len(masked), -1).any(axis=1).argmax()) if masked.ndim else 0
            message = f"{place.at(row)} is masked; fill it in or remove it"
            raise BadInputError(message, file=place.name)
    return numpy.asarray(found)


def column(values: Any, place: Place) -> Any:
    """Return values as a list or a one-dimensional NumPy array.

    Raises
    ------
    TypeError
        If the values are a scalar, or an array with another number of dimensions.
    """
    if isinstance(values, list):
        return values
    if is_one(values):
        found = type(values).__name__
        raise TypeError(f"{place.name} must be a list, an array or a column, not {found}")
    if not is_array(values):
        return list(values)
    found = whole(values, place)
    if isinstance(found, dict):
        example = f"; choose one, such as table[{next(iter(found))!r}]"
        raise TypeError(f"{place.name} must be one column, not a {type(values).__name__}{example}")
    if found.ndim != 1:
        raise TypeError(f"{place.name} must be a one-dimensional array, not one of shape {tuple(found.shape)}")
    return found


def ids(values: Any, place: Place = _IDS) -> Ids:
    """Return one or several IDs in the form of the extension.

    Raises
    ------
    TypeError
        If an entry is neither an integer nor a string, or types are mixed.
    BadInputError
        If an integer is negative or above 2**64-1, a string is not Unicode, or an entry is masked.
    """
    found = [values] if is_one(values) else column(values, place)
    if not isinstance(found, list):
        kind = found.dtype.kind
        if kind in "iu":
            if kind == "i" and (found < 0).any():
                _id(int(found[(found < 0).argmax()]), place.at(int((found < 0).argmax())))
            return bytes(found.astype("=u8").tobytes())
        if kind not in "UOT":
            raise TypeError(_no_ids(found, place))
        found = found.tolist()
    types = set(map(type, found))
    if types == {int}:
        try:
            return array("Q", found).tobytes()
        except OverflowError:
            pass
    elif types == {str}:
        return _unicode(found, place)
    named = [_id(value, place.at(number)) for number, value in enumerate(found)]
    texts = bool(named) and isinstance(named[0], str)
    for number, name in enumerate(named):
        if isinstance(name, str) is not texts:
            like = "a string" if texts else "an integer"
            raise TypeError(f"{place.at(number)}: found the ID {name!r}, expected {like} like the first")
    return _unicode(named, place) if texts else array("Q", named).tobytes()


def _id(value: Any, place: str) -> Any:
    """Return an ID as int or str."""
    value = value.as_py() if hasattr(value, "as_py") else value
    if isinstance(value, str):
        # Of an enum, `str` would return the name of the member.
        return str.__str__(value)
    is_bool = isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", None) == "b"
    try:
        if is_bool:
            raise TypeError
        number = operator.index(value)
    except TypeError:
        message = f"{place}: found the ID {shown(value)}, expected an integer or a string"
        if _is_missing(value):
            message += "; fill in the missing ID or remove the row"
        elif isinstance(value, float):
            message += "; convert it with int()"
        raise TypeError(message) from None
    if not 0 <= number < 1 << 64:
        negative = "negative " if number < 0 else ""
        raise BadInputError(f"{place}: found the {negative}ID {number}, expected one from 0 to 2**64-1", file="the IDs")
    return number


def _is_missing(value: Any) -> bool:
    """Return whether this is a null of Python, NumPy or pandas."""
    if isinstance(value, float):
        return value != value
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def shown(value: Any) -> str:
    """Return the value in one short line, for messages.

    Examples
    --------
    >>> shown([1, 2])
    '[1, 2]'
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def _no_ids(found: Any, place: Place) -> str:
    """Message for an array of a type that cannot hold IDs; for floating-point numbers it names missing values."""
    if found.dtype.kind == "f" and (found != found).any():
        return f"{place.at(int((found != found).argmax()))}: the ID is missing; expected an integer or a string"
    advice = "; convert it to integers, for example with astype('int64')" if found.dtype.kind == "f" else ""
    return f"{place.at(0)}: found an array of {found.dtype}, expected integers or strings as IDs{advice}"


def _unicode(texts: list[str], place: Place) -> list[str]:
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        number = next(number for number, text in enumerate(texts) if not text.isascii() and _is_broken(text))
        raise BadInputError(f"{place.at(number)}: {texts[number]!r} is not valid Unicode", file=place.name) from None
    return texts


def _is_broken(text: str) -> bool:
    return any(0xD800 <= ord(letter) < 0xE000 for letter in text)


def integers(named: Ids, place: Place) -> bytes:
    """Return IDs as integers, also those in strings of digits.

    Raises
    ------
    BadInputError
        If a string is not an integer from 0 to 2**64-1.
    """
    if isinstance(named, bytes):
        return named
    for number, text in enumerate(named):
        if not (text.isascii() and text.isdigit() and len(text) <= 20 and int(text) < 1 << 64):
            message = f"{place.at(number)}: found the ID {shown(text)}, expected an integer from 0 to 2**64-1"
            raise BadInputError(message, file=place.name)
    return array("Q", map(int, named)).tobytes()


def texts(named: Ids) -> list[str]:
    """Return IDs as strings.

    Examples
    --------
    >>> texts(ids([3, 5]))
    ['3', '5']
    """
    return named if isinstance(named, list) else [str(number) for number in array("Q", named)]


def numbers(values: Any, place: Place, noun: str = "value") -> bytes:
    """Return numbers as bytes of double precision.

    Raises
    ------
    TypeError
        If an entry is not a number.
    BadInputError
        If an entry is masked, an integer that double precision would round, or so small that it would become 0.
    """
    found = column(values, place)
    if not isinstance(found, list):
        kind = found.dtype.kind
        if kind in "fiu":
            large = (found > _EXACT) | (found < -_EXACT) if kind in "iu" and found.dtype.itemsize == 8 else found[:0]
            small = (found != 0) & (found.astype("=f8") == 0) if found.dtype.itemsize > 8 else found[:0]
            for number in [*large.nonzero()[0].tolist(), *small.nonzero()[0].tolist()]:
                _number(found[number], place.at(number), noun)
            return bytes(found.astype("=f8").tobytes())
        if kind != "O":
            raise TypeError(f"{place.at(0)}: found an array of {found.dtype}, expected numbers")
        found = found.tolist()
    if set(map(type, found)) <= {float}:
        return array("d", found).tobytes()
    return array("d", [_number(value, place.at(number), noun) for number, value in enumerate(found)]).tobytes()


def whole_numbers(values: Iterable[Any], name: str) -> list[int]:
    """Return values that are integers from 0 to 2**32-1.

    Examples
    --------
    >>> whole_numbers([15, 10], "fanouts")
    [15, 10]
    """
    values = list(values)
    found = [value for value in values if not hasattr(value, "__index__") or not 0 <= operator.index(value) < 1 << 32]
    if found:
        raise UsageError(f"{name} must be integers from 0 to 2**32-1, not {shown(found[0])}")
    return [operator.index(value) for value in values]


def _number(value: Any, place: str, noun: str) -> float:
    value = value.as_py() if hasattr(value, "as_py") else value
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    try:
        if isinstance(value, str | bytes | bool) or kind == "b":
            raise TypeError
        number = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{place}: found the {noun} {shown(value)}, expected a number") from None
    except OverflowError:
        number = float("inf")
    is_integer = isinstance(value, int) or kind in ("i", "u")
    if (is_integer and abs(number) >= _EXACT and number != int(value)) or (number == 0 and value != 0):
        found = "0" if number == 0 else "not exact"
        message = f"{place}: the {noun} {value!s} is {found} in double precision; round it with float() first"
        raise BadInputError(message, file="the numbers")
    return number
