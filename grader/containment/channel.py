"""How a child tells its parent what it saw: messages that only the probe can sign.

A learner's code may find the descriptor and write to it. What it writes lacks the mark of the key,
breaks the frame or is too long, and each of the three is a forgery. No read ever waits for the rest
of a message beyond the deadline.
"""

from __future__ import annotations

import os
import struct
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from hmac import compare_digest
from multiprocessing.connection import Connection, wait
from secrets import token_bytes
from typing import Any

import msgspec

from grader.evidence import Evidence, Raised
from grader.inspection.source import readable

MOST_BYTES = 64 * 2**20
MOST_WITH_LONG_TEXTS = 2**20
MARK = 16
CHUNK = 2**16
TOO_LARGE = (
    "Your module holds or returns far more numbers than the exercise asks for: {} MB were to be "
    "looked at, and {} MB is the most. Does a tensor have the right shape? Is something appended "
    "in a loop?"
)
_LENGTH = struct.Struct("!I")


Send = Callable[["Message"], None]


class ForgedError(Exception):
    """A message that the probe did not send. It says how that was seen."""


@dataclass(frozen=True)
class Message:
    """What the child sends: the evidence so far, whether that is all, or why there is no more.

    Attributes:
        tampered: what was tampered with. bound: the name that was bound again, if that was it.
        unfit: CUDA or autograd does not work in a copy of the parent. Nothing of the learner's ran.
    """

    evidence: Evidence | None = None
    done: bool = False
    refused: str = ""
    tampered: str = ""
    bound: str = ""
    unfit: bool = False


@dataclass
class Sender:
    """The child's end, before the learner's code runs: afterwards only `opened` has the key."""

    connection: Connection
    key: bytes

    def opened(self) -> Send:
        """What sends a message after all that were sent before.

        A function: its key is in a cell that no class and no module leads to.
        """
        key, connection, self.key = self.key, self.connection, b""
        encode, mark, pack, write = _encoded, _marker(key), _LENGTH.pack, os.write
        sent, size, view, descriptor = [0], len, memoryview, connection.fileno()

        def send(message: Message) -> None:
            body = encode(message)
            frame = mark(sent[0], body) + body
            sent[0] += 1
            rest = view(pack(size(frame)) + frame)
            while rest:
                rest = rest[write(descriptor, rest) :]

        def send_bytes(message: Message) -> None:
            body = encode(message)
            connection.send_bytes(mark(sent[0], body) + body)
            sent[0] += 1

        return send_bytes if sys.platform == "win32" else send


@dataclass
class Receiver:
    """The parent's end."""

    connection: Connection
    key: bytes
    _count: int = 0
    _read: bytearray = field(default_factory=bytearray)

    def messages(self, deadline: float, *interrupts: Any) -> Iterator[Message | None]:
        """Every message until the child has closed its end or is gone; None where time is up.

        Args:
            deadline: by `time.monotonic()`.
            interrupts: what else may be waited for. One that is ready ends the messages, after
                those that are there already.

        Raises:
            ForgedError: something else came.
        """
        sources = [self.connection, *interrupts]
        while ready := wait(sources, max(0.0, deadline - time.monotonic())):
            if self.connection not in ready:
                return
            if sys.platform == "win32":
                yield self._decoded(self._received())
                continue
            chunk = os.read(self.connection.fileno(), CHUNK)
            if not chunk:
                return
            self._read += chunk
            yield from map(self._decoded, self._frames())
        yield None

    def close(self) -> None:
        """No more is wanted."""
        self.connection.close()

    def _received(self) -> bytes:
        try:
            return self.connection.recv_bytes(MOST_BYTES)
        except EOFError:
            raise
        except OSError:
            raise ForgedError("a message of evidence was far too long") from None

    def _frames(self) -> Iterator[bytes]:
        while len(self._read) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._read)
            if not MARK <= length <= MOST_BYTES:
                raise ForgedError("something else was written where the evidence goes")
            end = _LENGTH.size + length
            if len(self._read) < end:
                return
            frame = bytes(self._read[_LENGTH.size : end])
            del self._read[:end]
            yield frame

    def _decoded(self, frame: bytes) -> Message:
        mark, body = frame[:MARK], frame[MARK:]
        if not compare_digest(mark, _marker(self.key)(self._count, body)):
            raise ForgedError("a message of evidence was not the probe's")
        self._count += 1
        try:
            return msgspec.json.decode(body, type=Message)
        except (msgspec.DecodeError, RecursionError) as error:
            raise ForgedError(f"the evidence is none: {error}") from None


def channel(context: Any) -> tuple[Receiver, Sender]:
    """Both ends of a new one, for a child that `context` starts."""
    receiver, sender = context.Pipe(duplex=False)
    key = token_bytes(32)
    return Receiver(receiver, key), Sender(sender, key)


def _marker(key: bytes) -> Callable[[int, bytes], bytes]:
    """Gives a message's mark, which holds its number: an old message cannot be sent again."""
    hashed, size, to_bytes = blake2b, MARK, int.to_bytes

    def mark(count: int, body: bytes) -> bytes:
        return hashed(body, digest_size=size, key=key, salt=to_bytes(count, 16, "big")).digest()

    return mark


def _encoded(message: Message) -> bytes:
    """The message as JSON that the parent will take.

    Texts such as a learner's attribute names may have lone surrogates or be endless, and the
    numbers of a module may be too many. The last is for the report to say.
    """
    try:
        body = msgspec.json.encode(message)
    except UnicodeEncodeError:
        body = b""
    if 0 < len(body) <= MOST_WITH_LONG_TEXTS:
        return body
    plain = msgspec.to_builtins(message, builtin_types=(bytes,))
    body = msgspec.json.encode(_with_readable_texts(plain))
    if len(body) + MARK <= MOST_BYTES or message.evidence is None:
        return body
    known = message.evidence
    about = Evidence(known.device, known.torch, known.seed, stage=known.stage)
    size = TOO_LARGE.format(len(body) // 2**20, MOST_BYTES // 2**20)
    return msgspec.json.encode(
        replace(message, evidence=replace(about, broken=Raised.problem(size)))
    )


def _with_readable_texts(value: Any) -> Any:
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, dict):
        return {key: _with_readable_texts(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_with_readable_texts(each) for each in value]
    return value
