"""Prints orders as they come, from whichever of two nodes serves."""

import os

from proton.handlers import MessagingHandler
from proton.reactor import Container

NODES = os.environ.get("AMQP_URLS", "amqp://localhost:5673,amqp://localhost:5672").split(",")


class Orders(MessagingHandler):
    def on_start(self, event):
        # A node that closes the connection wants the client to connect again. This library does so when the heartbeat
        # is late, not before: a short one makes that pause short.
        self.connection = event.container.connect(urls=NODES, heartbeat=2)
        self.receive(event)

    def receive(self, event):
        event.container.create_receiver(self.connection, "queue://orders")

    def on_connection_opened(self, event):
        print(f"connected to {event.connection.remote_container}", flush=True)

    def on_message(self, event):
        print(f"order: {event.message.body}", flush=True)

    def on_link_error(self, event):
        event.container.schedule(1, self)  # the queue is on its way to another node

    def on_timer_task(self, event):
        self.receive(event)


Container(Orders()).run()
