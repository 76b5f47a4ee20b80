"""Request and reply: the reply comes to a temporary queue that lives as long as the link of the one who asks."""

from threading import Thread

from proton import Message
from proton.utils import SendException, SyncRequestResponse

from broker import WAIT_SECONDS, connect

QUEUE = "queue://python.catalogue"
PRICES = {"atlas": "8.90", "cookbook": "24.00"}


def answer(requests):
    connection = connect()
    receiver = connection.create_receiver(QUEUE, credit=1)
    replies = connection.create_sender(None)  # to wherever a message says: the anonymous relay
    while requests:
        request = receiver.receive(timeout=WAIT_SECONDS)
        price = PRICES[request.body]
        try:
            replies.send(Message(address=request.reply_to, body=price, correlation_id=request.correlation_id))
            requests -= 1
        except SendException:
            pass  # its temporary queue is gone: who has asked, in an earlier run, waits no more
        receiver.accept()
    connection.close()


catalogue = Thread(target=answer, args=[len(PRICES)])
catalogue.start()

connection = connect()
client = SyncRequestResponse(connection, QUEUE)  # it attaches the temporary queue and matches correlation ids
for article in PRICES:
    print(f"{article}: {client.call(Message(body=article)).body}")
connection.close()
catalogue.join()
