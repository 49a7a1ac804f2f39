"""Keyed messages from the child to its parent: only the probe can sign them.

Threat: the learner's code shares the child's process. It may find the pipe's descriptor and write
evidence of its own, write half a message to stall the parent, or send an earlier message again.

1. The parent draws a random key of 32 bytes for each child, and hands it over in the `Sender`.
2. Before the learner's code runs, `Sender.opened` moves the key into the cell of a closure and
   clears the attribute.
3. A frame is the length (4 bytes, big-endian), a mark of 16 bytes, and JSON. The mark is BLAKE2b,
   keyed, of the JSON, salted with the message's number: a repeated message has the wrong number.
4. The parent reads what there is, cuts whole frames off its buffer, and checks length, mark and
   JSON. Each failure is a `ForgedError`, which ends the probe as tampered with.
5. Reads never block on the rest of a message: `wait` has the deadline.

On Windows `multiprocessing.Connection` frames the messages instead.
"""

from __future__ import annotations

import os
import select
import struct
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from hmac import compare_digest
from multiprocessing.connection import Connection, wait
from secrets import token_bytes
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from grader.probe.inspection.source import readable
from grader.schema import Ending, Evidence, Raised

MOST_BYTES = 64 * 2**20  # of one message
MOST_WITH_LONG_TEXTS = 2**20  # bytes; a larger message has its texts cut
MARK = 16  # bytes
CHUNK = 2**16  # bytes, what a pipe of Linux holds
SECONDS_BETWEEN_LOOKS = 0.25
TOO_LARGE = (
    "Your module holds or returns far more numbers than the exercise asks for: {} MB were to be "
    "looked at, and {} MB is the most. Does a tensor have the right shape? Is something appended "
    "in a loop?"
)
_LENGTH = struct.Struct("!I")


Send = Callable[["Message"], None]


class FullError(Exception):
    """The child has filled its working folder."""

    ending: ClassVar[Ending] = "output_limit"


class ForgedError(Exception):
    """A message that the probe did not send; the text says what gave it away."""

    ending: ClassVar[Ending] = "tampered"


class Message(msgspec.Struct, frozen=True):
    """A message of the child: the evidence so far, or why there is none.

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
        """Take the key out of this object, and return a function that signs and sends messages.

        A closure, since neither a class nor a module leads to its cells. All functions that it
        calls are bound here too: the learner's code cannot replace them by assigning to a module.
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

    def messages(
        self, deadline: float, *interrupts: Any, look: Callable[[], None] = lambda: None
    ) -> Iterator[Message | None]:
        """Every message until the child is gone; None where time is up.

        Args:
            deadline: by `time.monotonic()`.
            interrupts: what else may be waited for. One that is ready ends the messages, after
                those that are there already.
            look: called before each message, and four times a second; it may raise.

        Raises:
            ForgedError: something else came.
        """
        ready_within = _waiting_for([self.connection, *interrupts])
        while True:
            left = max(0.0, deadline - time.monotonic())
            ready = ready_within(min(left, SECONDS_BETWEEN_LOOKS))
            look()
            if not ready and left > SECONDS_BETWEEN_LOOKS:
                continue
            if not ready:
                break
            if self.connection not in ready:
                return
            if sys.platform == "win32":
                yield self._decoded(self._received())
                continue
            chunk = os.read(self.connection.fileno(), CHUNK)
            if not chunk:  # closed, as before a process ends; it may also go on
                ready_within = _waiting_for([*interrupts])
            self._read += chunk
            yield from map(self._decoded, self._frames())
        yield None

    def close(self) -> None:
        """Close the read end: the child's next write raises `BrokenPipeError`."""
        self.connection.close()

    def _received(self) -> bytes:
        try:
            return self.connection.recv_bytes(MOST_BYTES)
        except EOFError:
            raise
        except OSError:
            raise ForgedError("a message of evidence was far too long") from None

    def _frames(self) -> Iterator[bytes]:
        """Cut whole frames off the buffer; an incomplete one stays for the next chunk."""
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


def _waiting_for(sources: list[Any]) -> Callable[[float], list[Any]]:
    """`wait` for these sources as a function of seconds, with the sources registered once."""
    if sys.platform == "win32":
        return partial(wait, sources)
    poll = select.poll()
    by_number = {s if isinstance(s, int) else s.fileno(): s for s in sources}
    for number in by_number:
        poll.register(number, select.POLLIN)
    return lambda seconds: [by_number[number] for number, _ in poll.poll(1000 * seconds)]


def channel(context: Any) -> tuple[Receiver, Sender]:
    """Both ends of a new channel, for a child that the `multiprocessing` context starts."""
    receiver, sender = context.Pipe(duplex=False)
    key = token_bytes(32)
    return Receiver(receiver, key), Sender(sender, key)


def _marker(key: bytes) -> Callable[[int, bytes], bytes]:
    """A function of a message's number and body that returns its mark, `MARK` bytes."""
    hashed, size, to_bytes = blake2b, MARK, int.to_bytes

    def mark(count: int, body: bytes) -> bytes:
        return hashed(body, digest_size=size, key=key, salt=to_bytes(count, 16, "big")).digest()

    return mark


def _encoded(message: Message) -> bytes:
    """The message as JSON within the parent's limits.

    1. As it is, if it can be encoded and is short.
    2. Else with lone surrogates replaced and long texts cut: a learner chooses attribute names.
    3. If its numbers still make it longer than `MOST_BYTES`: no facts, and a problem that says so.
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
    evidence = message.evidence
    header = Evidence(evidence.device, evidence.torch, evidence.seed, stage=evidence.stage)
    size = TOO_LARGE.format(len(body) // 2**20, MOST_BYTES // 2**20)
    return msgspec.json.encode(
        replace(message, evidence=replace(header, broken=Raised.problem(size)))
    )


def _with_readable_texts(value: Any) -> Any:
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, dict):
        return {key: _with_readable_texts(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_readable_texts(item) for item in value]
    return value
