"""The zip file that a capsule is: any program unpacks it, but only what `write` writes is read.

A zip file can say one thing in its directory and another before each member; names may come twice, lie outside, or
belong to links; sizes may be wrong. Here there is one way to write the same members: in order of their names, one after
the other without a gap, the directory behind them saying the same as the headers before them, the time that of the
format's own beginning, no comment, no extra field. What differs from that is refused.
"""

from __future__ import annotations

import re
import struct
import zlib
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from windlull.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_MEMBERS = 64
UNPACKED_LIMIT_BYTES = 1 << 30
"""The most that all members may have together, unpacked."""
PACKED_LIMIT_BYTES = UNPACKED_LIMIT_BYTES + (16 << 20)
"""The most that the file itself may have: what cannot be packed grows a little by it."""
MOST_RATIO = 1032
"""How many octets deflate can make of one (RFC 1951): a match of 258 octets takes two bits at least."""

_NAME = re.compile(rb"[a-z0-9][a-z0-9._-]{0,99}(/[a-z0-9][a-z0-9._-]{0,99}){0,3}")
_LONGEST_NAME = 4 * 100 + 3
_PIECE = 1 << 20
# APPNOTE.TXT 6.3.10, sections 4.3.7 (local header), 4.3.12 (directory) and 4.3.16 (end): version needed, flags, method,
# time, date, CRC-32, packed and unpacked size, lengths of name and extra field.
_COMMON = struct.Struct("<HHHHHIIIHH")
_LOCAL, _CENTRAL, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
# Lengths of comment, disk, internal and external attributes, place.
_REST = struct.Struct("<HHHII")
_TAIL = struct.Struct("<HHHHIIH")
_VERSION, _DEFLATED, _DATE = 20, 8, 0x0021  # 2.0; deflate; 1980-01-01
_LEVEL = 6


class ArchiveError(BadInputError):
    """Not a capsule's zip file; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    crc: int
    packed: int
    size: int
    place: int

    def common(self) -> bytes:
        """Return what the header and the directory both say."""
        name = self.name.encode()
        return _COMMON.pack(_VERSION, 0, _DEFLATED, 0, _DATE, self.crc, self.packed, self.size, len(name), 0)

    def local(self) -> bytes:
        return _LOCAL + self.common() + self.name.encode()

    def central(self) -> bytes:
        return (
            _CENTRAL
            + struct.pack("<H", _VERSION)
            + self.common()
            + _REST.pack(0, 0, 0, 0, self.place)
            + self.name.encode()
        )


def write(target: IO[bytes], members: Iterable[tuple[str, IO[bytes]]]) -> None:
    """Write members, in order of their names, to a file that can be sought in.

    Raises ArchiveError if they are too large together.
    """
    written: list[_Member] = []
    for name, source in members:
        if written and name <= written[-1].name:
            raise ValueError(f"{name} after {written[-1].name}")
        place = target.tell()
        target.write(_Member(name, 0, 0, 0, place).local())
        member = _pack(target, name, source, place)
        if sum(one.size for one in written) + member.size > UNPACKED_LIMIT_BYTES:
            raise ArchiveError(f"{name}: the files have more than {UNPACKED_LIMIT_BYTES} octets together")
        end = target.tell()
        target.seek(place)
        target.write(member.local())
        target.seek(end)
        written.append(member)
    start = target.tell()
    directory = b"".join(member.central() for member in written)
    target.write(directory + _END + _TAIL.pack(0, 0, len(written), len(written), len(directory), start, 0))


def _pack(target: IO[bytes], name: str, source: IO[bytes], place: int) -> _Member:
    stream = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15)
    crc = size = packed = 0
    while piece := source.read(_PIECE):
        crc, size = zlib.crc32(piece, crc), size + len(piece)
        packed += target.write(stream.compress(piece))
    packed += target.write(stream.flush())
    return _Member(name, crc, packed, size, place)


class Archive:
    """A zip file that `write` wrote, of which nothing has been unpacked yet.

    Raises ArchiveError if it is anything else.
    """

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self._members = {member.name: member for member in _directory(source)}

    @property
    def names(self) -> frozenset[str]:
        """The members' names."""
        return frozenset(self._members)

    def size(self, name: str) -> int:
        """How many octets a member has, unpacked."""
        return self._members[name].size

    def read(self, name: str, limit: int = UNPACKED_LIMIT_BYTES) -> bytes:
        """Return a member. Raises ArchiveError if it is larger than the limit, or not what the directory says."""
        if self.size(name) > limit:
            raise ArchiveError(f"{name}: {self.size(name)} octets; the limit is {limit}")
        return b"".join(self.pieces(name))

    def pieces(self, name: str) -> Iterator[bytes]:
        """Give a member piece by piece. Raises ArchiveError, at the latest behind the last one, if it is not whole."""
        member = self._members[name]
        self._source.seek(member.place + len(member.local()))
        stream = zlib.decompressobj(-15)
        left, size, crc, waiting = member.packed, 0, 0, b""
        while not stream.eof:
            if not waiting:
                waiting = self._source.read(min(_PIECE, left))
                left -= len(waiting)
            try:
                piece = stream.decompress(waiting, _PIECE)
            except zlib.error as error:
                raise ArchiveError(f"{name}: cannot be unpacked: {error}") from error
            if not piece and not waiting:
                break
            waiting = stream.unconsumed_tail
            size, crc = size + len(piece), zlib.crc32(piece, crc)
            if size > member.size:
                break
            yield piece
        # The packed octets end with the stream: what stood behind it would be in no file.
        whole = stream.eof and not stream.unused_data and not left and not waiting
        if not whole or size != member.size or crc != member.crc:
            raise ArchiveError(f"{name}: is not what the directory says, or damaged")


def _directory(source: IO[bytes]) -> list[_Member]:
    """Return the members, in order. Everything but their content is then known to be as `write` writes it."""
    tail_size = len(_END) + _TAIL.size
    length = source.seek(0, 2)
    if length > PACKED_LIMIT_BYTES:
        raise ArchiveError(f"{length} octets; a capsule has at most {PACKED_LIMIT_BYTES}")
    if length < tail_size:
        raise ArchiveError("too short to be a zip file")
    source.seek(length - tail_size)
    tail = source.read(tail_size)
    _, _, count, _, size, start, _ = _TAIL.unpack(tail[len(_END) :])
    if tail != _END + _TAIL.pack(0, 0, count, count, size, start, 0) or start + size + tail_size != length:
        raise ArchiveError("not a complete zip file: its end is missing, or something follows it")
    if not 1 <= count <= MOST_MEMBERS:
        raise ArchiveError(f"{count} files; a capsule has 1 to {MOST_MEMBERS}")
    if size > count * (len(_CENTRAL) + 2 + _COMMON.size + _REST.size + _LONGEST_NAME):
        raise ArchiveError(f"its directory has {size} octets, too many for {count} files")
    source.seek(start)
    directory = source.read(size)
    members: list[_Member] = []
    at = place = 0
    for number in range(1, count + 1):
        member, at = _member(directory, at, place, number)
        if members and member.name <= members[-1].name:
            raise ArchiveError(f"{member.name}: comes twice, or after {members[-1].name}")
        if member.size > MOST_RATIO * member.packed:
            raise ArchiveError(f"{member.name}: {member.packed} octets cannot be unpacked to {member.size}")
        source.seek(place)
        if source.read(len(member.local())) != member.local():
            raise ArchiveError(f"{member.name}: its header says something else than the directory")
        place += len(member.local()) + member.packed
        members.append(member)
    if at != len(directory) or place != start:
        raise ArchiveError("has something between its files, or behind them")
    if sum(member.size for member in members) > UNPACKED_LIMIT_BYTES:
        raise ArchiveError(f"more than {UNPACKED_LIMIT_BYTES} octets unpacked")
    return members


def _member(directory: bytes, at: int, place: int, number: int) -> tuple[_Member, int]:
    with suppress(struct.error, UnicodeDecodeError):
        fields = at + len(_CENTRAL) + 2
        *_, crc, packed, size, name_length, _ = _COMMON.unpack_from(directory, fields)
        begin = fields + _COMMON.size + _REST.size
        name = directory[begin : begin + name_length]
        if _NAME.fullmatch(name) and not name.endswith(b"."):
            member = _Member(name.decode("ascii"), crc, packed, size, place)
            if directory[at : begin + name_length] == member.central():
                return member, begin + name_length
    raise ArchiveError(f"entry {number} of the directory is not as a capsule has it")
