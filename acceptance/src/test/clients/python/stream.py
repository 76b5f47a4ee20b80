"""A client for the cluster's tests, on python-qpid-proton. It ends when its connection or its standard input does.

    stream.py publish URL ADDRESS   sends each line of standard input, and prints it when it is accepted
    stream.py consume URL ADDRESS   prints each message, "true " or "false " before it for redelivered, and accepts it
"""

import os
import sys
import threading

from proton import Message, Timeout
from proton.utils import BlockingConnection

WAIT_SECONDS = 5
IDLE_SECONDS = 3  # a node that stands still is left


def publish(connection, address):
    sender = connection.create_sender(address)
    for line in sys.stdin:
        sender.send(Message(body=line.strip(), durable=True))
        print(line.strip(), flush=True)


def consume(connection, address):
    threading.Thread(target=end_with_input, daemon=True).start()
    receiver = connection.create_receiver(address, credit=20)
    while True:
        try:
            message = receiver.receive(timeout=1)
        except Timeout:
            continue
        body = message.body
        if isinstance(body, (bytes, memoryview)):
            body = bytes(body).decode("utf-8")
        print("true" if message.delivery_count else "false", body, flush=True)
        receiver.accept()


def end_with_input():
    sys.stdin.read()
    os._exit(0)


verb, url, address = sys.argv[1:]
connection = BlockingConnection(url, timeout=WAIT_SECONDS, heartbeat=IDLE_SECONDS)
{"publish": publish, "consume": consume}[verb](connection, address)
