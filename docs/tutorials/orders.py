"""Prints orders as they come, from whichever of two nodes serves."""

import os

from proton.handlers import MessagingHandler
from proton.reactor import Container

NODES = os.environ.get("AMQP_URLS", "amqp://localhost:5673,amqp://localhost:5672").split(",")


class Orders(MessagingHandler):
    def on_start(self, event):
        # A node that closes the connection wants the client to connect again. This library does so when the heartbeat
        # is late, not before: a short one makes that pause short.
        connection = event.container.connect(urls=NODES, heartbeat=2)
        event.container.create_receiver(connection, "queue://orders")

    def on_connection_opened(self, event):
        print(f"connected to {event.connection.remote_container}", flush=True)

    def on_message(self, event):
        print(f"order: {event.message.body}", flush=True)


Container(Orders()).run()
