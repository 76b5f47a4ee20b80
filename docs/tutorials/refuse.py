"""Takes orders, and cannot handle one of them: gives it back as failed each time it comes."""

import os

from proton import Delivery, Timeout
from proton.utils import BlockingConnection

connection = BlockingConnection(os.environ.get("AMQP_URL", "amqp://localhost:5672"))
orders = connection.create_receiver("queue://orders", credit=1)
try:
    while True:
        order = orders.receive(timeout=1)
        if "unicorn" in order.body:
            print(f"failed: {order.body}, after {order.delivery_count} failures before")
            orders.fetcher.unsettled[0].local.failed = True
            orders.settle(Delivery.MODIFIED)  # with delivery-failed: it comes again, and is counted
        else:
            print(f"handled: {order.body}")
            orders.accept()
except Timeout:
    connection.close()
