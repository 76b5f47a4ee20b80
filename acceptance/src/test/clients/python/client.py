"""One AMQP client for the interoperability tests, on python-qpid-proton.

    client.py send URL KIND ADDRESS COUNT PREFIX [TRACEPARENT]
    client.py subscribe URL ADDRESS CONTAINER NAME
    client.py receive URL KIND ADDRESS COUNT [CONTAINER NAME]
    client.py transact URL FROM TO COUNT ENDING SETTLES
    client.py try URL FILE
    client.py login URL MECHANISM USER SECRET [CERTIFICATE KEY]

KIND is queue or topic. Messages have the body "PREFIX n" and the property n, and traceparent if it is given. What is
received is printed as one JSON object per line. A transaction moves COUNT messages from one queue to another, and its
ENDING is commit, abort or lose: the program ends without a word. SETTLES says whether it settles deliveries before that
(yes) or leaves that to the broker (no). Each line of FILE is a try, USER WAY ADDRESS: the user, whose password is the
name, does it on a connection of its own, and the line is printed again with "allowed" or with the reason of the refusal
behind it. A login is over TLS, by that mechanism alone, and sends "hello" to the queue MECHANISM. Exit code 0: done;
anything else: an error, on standard error.
"""

import json
import os
import sys

from proton import Message, SSLDomain, symbol
from proton.handlers import MessagingHandler, TransactionHandler
from proton.reactor import Container, Copy, DurableSubscription, LinkOption


class Kind(LinkOption):
    """Says by a capability whether the address is a queue or a topic."""

    def __init__(self, kind):
        self.kind = kind

    def apply(self, link):
        terminus = link.target if link.is_sender else link.source
        terminus.capabilities.put_object(symbol(self.kind))


class Client(MessagingHandler):
    failed = False

    def fail(self, event, condition):
        print(condition, file=sys.stderr)
        self.failed = True
        event.container.stop()

    def on_transport_error(self, event):
        self.fail(event, event.transport.condition)

    def on_connection_error(self, event):
        self.fail(event, event.connection.remote_condition)

    def on_link_error(self, event):
        self.fail(event, event.link.remote_condition)


class Send(Client):
    def __init__(self, url, kind, address, count, prefix, traceparent=None):
        super().__init__()
        self.url, self.kind, self.address, self.count, self.prefix = url, kind, address, count, prefix
        self.properties = {"traceparent": traceparent} if traceparent else {}
        self.sent = self.accepted = 0

    def on_start(self, event):
        connection = event.container.connect(self.url, reconnect=False)
        event.container.create_sender(connection, self.address, options=[Kind(self.kind)])

    def on_sendable(self, event):
        while event.sender.credit and self.sent < self.count:
            body = "%s %d" % (self.prefix, self.sent)
            event.sender.send(Message(body=body, durable=True, properties={"n": self.sent, **self.properties}))
            self.sent += 1

    def on_accepted(self, event):
        self.accepted += 1
        if self.accepted == self.count:
            event.connection.close()

    def on_rejected(self, event):
        self.fail(event, "rejected: %s" % event.delivery.remote.condition)


class Subscribe(Client):
    def __init__(self, url, address, name):
        super().__init__(prefetch=0)
        self.url, self.address, self.name = url, address, name

    def on_start(self, event):
        connection = event.container.connect(self.url, reconnect=False)
        event.container.create_receiver(
            connection, self.address, name=self.name, options=[DurableSubscription(), Kind("topic")])

    def on_link_opened(self, event):
        event.link.detach()
        event.connection.close()


class Receive(Client):
    def __init__(self, url, kind, address, count, name):
        super().__init__(prefetch=10, auto_accept=False)
        self.url, self.kind, self.address, self.count, self.name = url, kind, address, count, name
        self.received = 0

    def on_start(self, event):
        connection = event.container.connect(self.url, reconnect=False)
        options = [Kind(self.kind)] + ([DurableSubscription()] if self.name else [])
        event.container.create_receiver(connection, self.address, name=self.name, options=options)

    def on_message(self, event):
        if self.received == self.count:
            self.release(event.delivery, delivered=False)
            return
        self.received += 1
        body = event.message.body
        if isinstance(body, (bytes, memoryview)):
            body = bytes(body).decode("utf-8")
        print(json.dumps({"body": body, "n": int(event.message.properties["n"])}, ensure_ascii=False), flush=True)
        self.accept(event.delivery)
        if self.received == self.count:
            if self.name:
                event.receiver.detach()
            else:
                event.receiver.close()
            event.connection.close()


class Transact(Client, TransactionHandler):
    def __init__(self, url, source, target, count, ending, settles):
        super().__init__(prefetch=count, auto_accept=False)
        self.url, self.source, self.target, self.count = url, source, target, count
        self.ending, self.settles = ending, settles
        self.taken = []
        self.transaction = self.sender = None
        self.answered = 0

    def on_start(self, event):
        connection = event.container.connect(self.url, reconnect=False)
        event.container.create_receiver(connection, self.source, options=[Kind("queue")])
        self.sender = event.container.create_sender(connection, self.target, options=[Kind("queue")])
        event.container.declare_transaction(connection, self, self.settles)

    def on_transaction_declared(self, event):
        self.transaction = event.transaction
        self.move()

    def on_sendable(self, event):
        self.move()

    def on_message(self, event):
        self.taken.append((event.message, event.delivery))
        self.move()

    def move(self):
        if self.transaction is None or self.sender.credit < self.count or len(self.taken) != self.count:
            return
        for message, delivery in self.taken:
            copy = Message(body=message.body, durable=True, properties=message.properties)
            self.transaction.send(self.sender, copy)
            self.transaction.accept(delivery)
        self.taken.append(None)  # once
        if self.ending == "commit":
            self.transaction.commit()
        elif self.ending == "abort":
            self.transaction.abort()

    def on_settled(self, event):
        self.answered += event.link == self.sender
        if self.ending == "lose" and self.answered == self.count:
            os._exit(0)

    def on_transaction_committed(self, event):
        self.done(event, "commit")

    def on_transaction_aborted(self, event):
        self.done(event, "abort")

    def done(self, event, ending):
        if ending != self.ending:
            self.fail(event, "the transaction ended by %s" % ending)
        event.connection.close()

    def on_transaction_declare_failed(self, event):
        self.fail(event, "declare: %s" % event.delivery.remote.condition)

    def on_transaction_commit_failed(self, event):
        self.fail(event, "commit: %s" % event.delivery.remote.condition)


class Try(Client, TransactionHandler):
    """One try of a user: to send, to send without a target, in a transaction, to receive, browse or administer."""

    def __init__(self, url, user, way, address):
        super().__init__(prefetch=0)
        self.url = url.replace("amqp://", "amqp://%s:%s@" % (user, user))
        self.way, self.address = way, address
        self.result = "no answer"
        self.sender = self.transaction = None
        self.sent = False

    def on_start(self, event):
        connection = event.container.connect(self.url, reconnect=False)
        if self.way in ("receive", "browse"):
            options = [Copy()] if self.way == "browse" else []
            event.container.create_receiver(connection, self.address, options=options)
        elif self.way == "manage":
            self.answers = event.container.create_receiver(connection, None, dynamic=True)
            self.answers.flow(1)
        else:
            target = self.address if self.way == "send" else None
            self.sender = event.container.create_sender(connection, target)
            if self.way == "transact":
                event.container.declare_transaction(connection, self)

    def on_link_opened(self, event):
        link = event.link
        if self.way in ("receive", "browse") and link.is_receiver and link.remote_source.address:
            self.end(event, "allowed")
        elif self.way == "manage" and link.is_receiver:
            self.sender = event.container.create_sender(event.connection, "$management")

    def on_message(self, event):
        answer = event.message
        self.end(event, "allowed" if answer.subject == "200" else "%s %s" % (answer.subject, answer.body))

    def on_transaction_declared(self, event):
        self.transaction = event.transaction
        self.send(event)

    def on_sendable(self, event):
        if self.way != "transact" or self.transaction:
            self.send(event)

    def send(self, event):
        if self.sent or not self.sender.credit:
            return
        self.sent = True
        message = Message(body="try", durable=True, address=None if self.way == "send" else self.address)
        if self.way == "manage":
            message = Message(id="1", subject="GET", address="/addresses/" + self.address)
            message.reply_to = self.answers.remote_source.address
        if self.transaction:
            self.transaction.send(self.sender, message)
        else:
            self.sender.send(message)

    def on_accepted(self, event):
        if event.link == self.sender and not self.transaction and self.way != "manage":
            self.end(event, "allowed")

    def on_settled(self, event):
        if event.link == self.sender and self.transaction:
            self.transaction.commit()  # the outcome says that it is of the transaction, not whether it was taken

    def on_rejected(self, event):
        self.end(event, event.delivery.remote.condition)

    def on_transaction_committed(self, event):
        self.end(event, "allowed")

    def on_transaction_commit_failed(self, event):
        self.end(event, event.delivery.remote.condition)

    def fail(self, event, condition):
        self.result = str(condition).replace("\n", " ")
        event.container.stop()

    def end(self, event, result):
        self.result = str(result).replace("\n", " ")
        event.connection.close()


class Login(Client):
    def __init__(self, url, mechanism, user, secret, certificate=None, key=None):
        super().__init__()
        self.url, self.mechanism = url, mechanism
        self.login = {} if mechanism == "EXTERNAL" else {"user": user, "password": secret}
        self.tls = SSLDomain(SSLDomain.MODE_CLIENT)
        self.tls.set_peer_authentication(SSLDomain.ANONYMOUS_PEER, None)
        if certificate:
            self.tls.set_credentials(certificate, key, None)
        self.sent = False

    def on_start(self, event):
        connection = event.container.connect(
            self.url, reconnect=False, ssl_domain=self.tls, allowed_mechs=self.mechanism, **self.login)
        event.container.create_sender(connection, self.mechanism)

    def on_sendable(self, event):
        if not self.sent:
            self.sent = True
            event.sender.send(Message(body="hello", durable=True))

    def on_accepted(self, event):
        event.connection.close()

    def on_rejected(self, event):
        self.fail(event, "rejected: %s" % event.delivery.remote.condition)


def try_each(url, file):
    for line in open(file, encoding="utf-8"):
        attempt = Try(url, *line.split())
        Container(attempt).run()
        print(line.strip(), attempt.result, flush=True)


def main(verb, *arguments):
    if verb == "try":
        try_each(*arguments)
        return
    container_id = None
    if verb == "send":
        url, kind, address, count, prefix, *traceparent = arguments
        client = Send(url, kind, address, int(count), prefix, *traceparent)
    elif verb == "subscribe":
        url, address, container_id, name = arguments
        client = Subscribe(url, address, name)
    elif verb == "transact":
        url, source, target, count, ending, settles = arguments
        client = Transact(url, source, target, int(count), ending, settles == "yes")
    elif verb == "login":
        client = Login(*arguments)
    else:
        url, kind, address, count = arguments[:4]
        container_id, name = arguments[4:] if len(arguments) > 4 else (None, None)
        client = Receive(url, kind, address, int(count), name)
    container = Container(client)
    if container_id:
        container.container_id = container_id
    container.run()
    sys.exit(1 if client.failed else 0)


sys.stdout.reconfigure(encoding="utf-8")
main(*sys.argv[1:])
