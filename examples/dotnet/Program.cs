// Ringtable from .NET, with AMQPNetLite: dotnet run publish, compete, durable, request or reconnect.

using Amqp;
using Amqp.Framing;
using Amqp.Types;

var wait = TimeSpan.FromSeconds(30);

switch (args.FirstOrDefault())
{
    case "publish":
        Publish();
        break;
    case "compete":
        Compete();
        break;
    case "durable":
        Durable();
        break;
    case "request":
        Request();
        break;
    case "reconnect":
        Reconnect();
        break;
    default:
        Console.Error.WriteLine("usage: dotnet run publish|compete|durable|request|reconnect");
        return 2;
}
return 0;

// Publishes durable messages to a queue, and waits for the outcome of each.
void Publish()
{
    var connection = Connect();
    var orders = new SenderLink(new Session(connection), "orders", "queue://dotnet.orders");
    for (var number = 1; number <= 3; number++)
    {
        var message = Durably($"order {number}");
        message.ApplicationProperties = new ApplicationProperties { ["country"] = "PT" };
        orders.Send(message, wait); // returns once the message is on disk, throws the broker's reason if it is not
        Console.WriteLine($"accepted: order {number}");
    }
    connection.Close();
}

// Two consumers compete for the messages of one queue: each message goes to one of them.
void Compete()
{
    const int tasks = 20;
    const string queue = "queue://dotnet.tasks";
    var connection = Connect();
    var sender = new SenderLink(new Session(connection), "tasks", queue);
    for (var number = 0; number < tasks; number++)
    {
        sender.Send(Durably(number), wait);
    }
    connection.Close();

    var both = Task.WhenAll(Task.Run(() => Work(queue)), Task.Run(() => Work(queue))).Result;

    Console.WriteLine($"the first has done {both[0].Count} tasks, the second {both[1].Count}");
    var once = both[0].Concat(both[1]).Order().SequenceEqual(Enumerable.Range(0, tasks));
    Console.WriteLine(once ? $"{tasks} tasks, each done once" : "not each once");
}

List<int> Work(string queue)
{
    var done = new List<int>();
    var connection = Connect();
    var receiver = new ReceiverLink(new Session(connection), "worker", queue);
    // As many messages as a consumer may have in hand at a time: a slow one leaves the rest to the others.
    receiver.SetCredit(1);
    while (receiver.Receive(TimeSpan.FromSeconds(1)) is { } task)
    {
        done.Add((int)task.Body);
        receiver.Accept(task); // only now the broker forgets it; one that dies before gets it again, or another one
    }
    connection.Close();
    return done;
}

// A durable subscription of a topic: the broker keeps its messages while nobody is attached.
void Durable()
{
    const string topic = "topic://dotnet.prices";
    var (connection, _) = Subscribe(topic);
    connection.Close(); // to end the connection leaves the subscription; to close its link would end it
    Console.WriteLine("subscribed, and away");

    connection = Connect();
    var prices = new SenderLink(new Session(connection), "prices", topic);
    foreach (var price in new[] { "8.90", "9.10", "9.40" })
    {
        prices.Send(Durably(price), wait);
    }
    connection.Close();
    Console.WriteLine("3 prices published");

    (connection, var ledger) = Subscribe(topic);
    ledger.SetCredit(10);
    for (var count = 0; count < 3; count++)
    {
        var message = ledger.Receive(wait) ?? throw new TimeoutException("no price came");
        Console.WriteLine($"received: {message.Body}");
        ledger.Accept(message);
    }
    ledger.Close(); // the subscription and what it is owed are gone
    connection.Close();
    Console.WriteLine("unsubscribed");
}

// The container id and the name of the link are the subscription's name: with both it is found again.
(Connection, ReceiverLink) Subscribe(string topic)
{
    var connection = Connect("dotnet-ledger");
    using var attached = new ManualResetEventSlim();
    var source = new Source { Address = topic, Durable = 2, ExpiryPolicy = new Symbol("never") };
    var receiver = new ReceiverLink(new Session(connection), "ledger", source, (_, _) => attached.Set());
    if (!attached.Wait(wait))
    {
        throw new TimeoutException("the subscription is not attached");
    }
    return (connection, receiver);
}

// Request and reply: the reply comes to a temporary queue that lives as long as the link of the one who asks.
void Request()
{
    const string queue = "queue://dotnet.catalogue";
    var articles = new Dictionary<string, string> { ["atlas"] = "8.90", ["cookbook"] = "24.00" };
    var catalogue = Task.Run(() => Answer(queue, articles));

    var connection = Connect();
    var session = new Session(connection);
    var address = new TaskCompletionSource<string>();
    var replies = new ReceiverLink(
        session,
        "replies",
        new Source { Dynamic = true },
        (_, attach) => address.SetResult(((Source)attach.Source).Address));
    replies.SetCredit(1);
    if (!address.Task.Wait(wait))
    {
        throw new TimeoutException("no temporary queue");
    }
    var requests = new SenderLink(session, "requests", queue);
    foreach (var article in articles.Keys)
    {
        var question = Durably(article);
        question.Properties = new Properties { ReplyTo = address.Task.Result, CorrelationId = article };
        requests.Send(question, wait);
        var reply = replies.Receive(wait) ?? throw new TimeoutException("no reply");
        replies.Accept(reply);
        Console.WriteLine($"{reply.Properties.CorrelationId}: {reply.Body}");
    }
    connection.Close();
    catalogue.Wait();
}

void Answer(string queue, Dictionary<string, string> articles)
{
    var connection = Connect();
    var session = new Session(connection);
    var requests = new ReceiverLink(session, "catalogue", queue);
    requests.SetCredit(1);
    // To wherever a message says: the anonymous relay.
    var replies = new SenderLink(session, "answers", new Target(), null);
    for (var left = articles.Count; left > 0;)
    {
        var question = requests.Receive(wait) ?? throw new TimeoutException("no question");
        var reply = new Message(articles[(string)question.Body])
        {
            Properties = new Properties
            {
                To = question.Properties.ReplyTo,
                CorrelationId = question.Properties.CorrelationId,
            },
        };
        try
        {
            replies.Send(reply, wait);
            left--;
        }
        catch (AmqpException)
        {
            // Its temporary queue is gone: who has asked, in an earlier run, waits no more.
        }
        requests.Accept(question);
    }
    connection.Close();
}

// Goes on through a restart of the broker, and no message is stored twice. A publisher that loses its connection does
// not know whether its last message is stored, and sends it again. The property _AMQ_DUPL_ID lets the broker store it
// once all the same.
void Reconnect()
{
    const string queue = "queue://dotnet.readings";
    var run = Guid.NewGuid(); // ids are remembered by the broker: another run needs other ones
    var (connection, readings) = ConnectAgain(queue);
    Console.WriteLine("connected: now stop the broker and start it again");
    var accepted = 0;
    var lost = false;
    for (var left = 5; left > 0;)
    {
        var message = Durably(accepted);
        message.ApplicationProperties = new ApplicationProperties { ["_AMQ_DUPL_ID"] = $"{run}-{accepted}" };
        try
        {
            readings.Send(message, wait);
            accepted++;
            left -= lost ? 1 : 0;
            Thread.Sleep(50);
        }
        catch (Exception failure) when (failure is AmqpException or TimeoutException && connection.IsClosed)
        {
            lost = true;
            Console.WriteLine("the connection is lost");
            (connection, readings) = ConnectAgain(queue);
            Console.WriteLine("connected again");
        }
    }

    var received = new List<int>();
    var receiver = new ReceiverLink(new Session(connection), "received", queue);
    receiver.SetCredit(100);
    while (receiver.Receive(received.Count < accepted ? wait : TimeSpan.FromSeconds(1)) is { } message)
    {
        received.Add((int)message.Body);
        receiver.Accept(message);
    }
    connection.Close();
    var once = received.SequenceEqual(Enumerable.Range(0, accepted));
    Console.WriteLine(once ? $"{accepted} accepted, each received once" : $"received {string.Join(",", received)}");
}

(Connection, SenderLink) ConnectAgain(string queue)
{
    for (;;)
    {
        try
        {
            var connection = Connect();
            return (connection, new SenderLink(new Session(connection), "readings", queue));
        }
        catch (Exception failure) when (failure is AmqpException or IOException or System.Net.Sockets.SocketException)
        {
            Thread.Sleep(200); // the broker is not there yet
        }
    }
}

// A connection of its own. Durable subscriptions belong to a container id, which then has to be the same again.
Connection Connect(string? containerId = null)
{
    var address = new Address(Environment.GetEnvironmentVariable("AMQP_URL") ?? "amqp://localhost:5672");
    var open = new Open { ContainerId = containerId ?? Guid.NewGuid().ToString(), HostName = address.Host };
    return new Connection(address, null, open, null);
}

// A durable message: the broker answers accepted once it has synced the message to disk.
Message Durably(object body) => new(body) { Header = new Header { Durable = true } };
