"""What a parent believes of what comes through the pipe: only what the probe has signed."""

import multiprocessing
import os
import time

import pytest

from grader.probe.containment.channel import ForgedError, Message, channel
from grader.schema import Evidence

EVIDENCE = Evidence("cuda:0 (simulated)", "2.13.0", 7)


@pytest.fixture
def ends():
    receiver, sender = channel(multiprocessing.get_context("spawn"))
    yield receiver, sender
    receiver.close()


def received(receiver, seconds=5.0):
    return list(receiver.messages(time.monotonic() + seconds))


def write(sender, text):
    os.write(sender.connection.fileno(), text)
    sender.connection.close()


def test_messages_come_as_they_were_sent(ends):
    receiver, sender = ends
    sent = [Message(EVIDENCE), Message(EVIDENCE, done=True)]

    send = sender.opened()
    for message in sent:
        send(message)
    sender.connection.close()

    assert received(receiver, seconds=0.05) == [*sent, None]  # and nothing says that it has ended


@pytest.mark.parametrize(
    "text",
    [
        b'{"done":true}',
        b"\xff" * 8,
        b"\0\0\0\1x",
        b"\0\0\0\x20" + b"x" * 32,
    ],
)
def test_what_the_probe_did_not_sign_is_a_forgery(ends, text):
    receiver, sender = ends
    write(sender, text)

    with pytest.raises(ForgedError):
        received(receiver)


def test_a_message_cannot_be_sent_again(ends):
    receiver, sender = ends
    sender.opened()(Message(EVIDENCE))
    frame = os.read(receiver.connection.fileno(), 65_536)
    write(sender, frame + frame)

    with pytest.raises(ForgedError):
        received(receiver)


def test_half_a_message_is_not_waited_for(ends):
    receiver, sender = ends
    os.write(sender.connection.fileno(), b"\0\0\1\0" + b"x" * 20)

    assert received(receiver, seconds=0.05) == [None]
