"""Goes on through a restart of the broker, and no message is stored twice.

A publisher that loses its connection does not know whether its last message is stored, and sends it again. The
property _AMQ_DUPL_ID lets the broker store it once all the same.
"""

import time
import uuid

from proton import ConnectionException, Message, ProtonException, Timeout

from broker import WAIT_SECONDS, connect

QUEUE = "queue://python.readings"
AFTERWARDS = 5

run = uuid.uuid4()  # ids are remembered by the broker: another run needs other ones
lost = False


def connect_again():
    while True:
        try:
            connection = connect()
            return connection, connection.create_sender(QUEUE)
        except (ProtonException, ConnectionException, OSError):
            time.sleep(0.2)  # the broker is not there yet


connection, readings = connect_again()
print("connected: now stop the broker and start it again", flush=True)
accepted = 0
left = AFTERWARDS
while left:
    message = Message(body=accepted, durable=True, properties={"_AMQ_DUPL_ID": f"{run}-{accepted}"})
    try:
        readings.send(message)
        accepted += 1
        left -= lost
        time.sleep(0.05)
    except (ProtonException, ConnectionException, OSError):
        lost = True
        print("the connection is lost", flush=True)
        connection, readings = connect_again()
        print("connected again", flush=True)

received = []
receiver = connection.create_receiver(QUEUE, credit=100)
try:
    while True:
        received.append(receiver.receive(timeout=WAIT_SECONDS if len(received) < accepted else 1).body)
        receiver.accept()
except Timeout:
    pass  # nothing comes behind the last one
connection.close()
once = received == list(range(accepted))
print(f"{accepted} accepted, each received once" if once else f"{accepted} accepted, received {received}")
