"""A durable subscription of a topic: the broker keeps its messages while nobody is attached."""

from proton import Message
from proton.reactor import DurableSubscription

from broker import WAIT_SECONDS, Topic, connect

TOPIC = "python.prices"


def attach(connection):
    """The container id and the name of the link are the subscription's name: with both it is found again."""
    return connection.create_receiver(TOPIC, name="ledger", credit=10, options=[DurableSubscription(), Topic()])


connection = connect("python-ledger")
attach(connection).detach()  # to close the link instead would end the subscription
connection.close()
print("subscribed, and away")

connection = connect()
prices = connection.create_sender(TOPIC, options=[Topic()])
for price in ("8.90", "9.10", "9.40"):
    prices.send(Message(body=price, durable=True))
connection.close()
print("3 prices published")

connection = connect("python-ledger")
ledger = attach(connection)
for _ in range(3):
    print(f"received: {ledger.receive(timeout=WAIT_SECONDS).body}")
    ledger.accept()
ledger.close()  # the subscription and what it is owed are gone
connection.close()
print("unsubscribed")
