"""What every example needs: the broker's address, and connections to it."""

import os

from proton import symbol
from proton.reactor import Container, LinkOption
from proton.utils import BlockingConnection

URL = os.environ.get("AMQP_URL", "amqp://localhost:5672")
WAIT_SECONDS = 30


def connect(container_id=None):
    """A connection of its own. Durable subscriptions belong to a container id, which then has to be the same again."""
    container = Container()
    if container_id:
        container.container_id = container_id
    return BlockingConnection(URL, timeout=WAIT_SECONDS, container=container)


class Topic(LinkOption):
    """Says by a capability that the address is a topic. The prefix topic:// of an address would do the same."""

    def apply(self, link):
        terminus = link.target if link.is_sender else link.source
        terminus.capabilities.put_object(symbol("topic"))
