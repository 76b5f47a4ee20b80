"""Publishes durable messages to a queue, and waits for the outcome of each."""

from proton import Message
from proton.utils import SendException

from broker import connect

connection = connect()
orders = connection.create_sender("queue://python.orders")
for number in range(1, 4):
    try:
        # Returns once the broker has synced the message to disk: accepted means durable.
        orders.send(Message(body=f"order {number}", durable=True, properties={"country": "PT"}))
        print(f"accepted: order {number}")
    except SendException as refused:
        print(f"order {number} is not stored: {refused}")
connection.close()
