"""Reads the dead letters, says why each one is dead, and sends it back to where it came from."""

import os

from proton import Message, Timeout
from proton.utils import BlockingConnection

connection = BlockingConnection(os.environ.get("AMQP_URL", "amqp://localhost:5672"))
letters = connection.create_receiver("queue://DLQ", credit=1)
try:
    while True:
        letter = letters.receive(timeout=1)
        facts = {str(key).removeprefix("x-opt-ringtable-dead-letter-"): value
                 for key, value in letter.annotations.items()}
        print(f"{letter.body}: from {facts['address']}, {int(facts['count'])} failures: {facts['reason']}")
        again = connection.create_sender(f"queue://{facts['address']}")
        again.send(Message(body=letter.body.replace("a unicorn", "an atlas"), durable=True))
        again.close()
        letters.accept()  # behind the send: a letter that is lost in between comes again
except Timeout:
    connection.close()
