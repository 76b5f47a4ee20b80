package io.ringtable.broker.job;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.work.Mailbox;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * Runs one job. The letters come from the dispatcher within credit, and go to the committer with their settlements: a
 * flush has both, or neither. So the rest of a job that was killed is simply still in its place.
 * <p>
 * A target without room makes the job wait, as does a store that takes no writes. A target that is gone ends the job. A
 * letter that cannot go back stays where it is, and counts as failed.
 * <p>
 * Thread: jobs.
 */
final class JobRun implements Mailbox {
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_MAX_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final JobDoors doors;
    private final DispatcherMailbox dispatcher;
    private final Runnable wake;
    private final Address target; // null = each letter has its own
    private final LetterRoute route;
    private final LetterChoice choice; // null if the job takes nothing
    private final LetterSource source;
    private final LetterLine line;
    private final JobRate rate;
    private final RoomWait room = new RoomWait(this);
    private final boolean takes;
    private Job job; // as it stood after the last turn
    private long matched;
    private long done;
    private long failed; // of those that came
    private String firstFailure;
    private String trouble; // why the job waits; null while it does not
    private Job.State ending; // how it ends once nothing is on its way; null while it goes on
    private String error; // of the end
    private boolean halted; // it goes on with the next start of the shard
    private boolean broken; // its turns fail
    private long pause; // ns, of the last refusal
    private long pausedUntil; // nanoTime

    /** Begins, or goes on. @param wake has the agent take a turn */
    JobRun(Job job, JobPlan plan, JobDoors doors, Runnable wake) {
        JobRequest request = job.request();
        this.job = job;
        this.doors = doors;
        this.dispatcher = doors.home().dispatcher();
        this.wake = wake;
        this.target = plan.target();
        this.route = new LetterRoute(doors, request.action(), target);
        this.rate = new JobRate(request.dryRun() ? 0 : request.rate(), doors.nanoTime());
        this.takes = request.takes();
        this.matched = job.matched();
        this.done = job.done();
        this.line = new LetterLine(doors.home(), doors.format(), doors.clockMs(), this);
        Subscription from = plan.source();
        this.choice = takes ? new LetterChoice(job.before(), plan.filter(), route) : null;
        this.source = takes
                ? LetterSource.taking(dispatcher, from, choice, this)
                : LetterSource.looking(dispatcher, from, plan.filter(), this);
    }

    @Override
    public void wake() {
        wake.run();
    }

    /** Returns the job as it stands. */
    Job job() {
        return job;
    }

    /** Returns whether nothing of it is on its way any more. */
    boolean isOver() {
        return ending != null && (line.isEmpty() || broken);
    }

    /** Returns whether it goes on with the next start of the shard. */
    boolean isHalted() {
        return halted;
    }

    /** Takes no more letters: those on their way still arrive. */
    void cancel() {
        end(Job.State.CANCELLED, null);
    }

    /** Ends after an exception; after a second one without looking at what is on its way. */
    void fail(String why) {
        broken = ending != null;
        end(Job.State.FAILED, why);
        update();
    }

    /** Stops for now, as the shard does, unless it is ending anyway. */
    void halt() {
        if (ending == null) {
            halted = true;
            end(Job.State.RUNNING, null);
        }
    }

    private void end(Job.State how, String why) {
        if (ending == null) {
            ending = how;
            error = why;
            source.end();
            room.end();
            line.giveUp(this::giveBack);
        }
    }

    // ---- turns

    /** Takes one turn. @return how much was done */
    int doWork() {
        int worked = source.poll() + line.poll(this::ended);
        if (ending == null && source.refusal() != null) {
            end(Job.State.FAILED, source.refusal().toString());
        }
        if (ending == null) {
            if (line.hasRefused() && pauseLeft() <= 0) {
                line.retry();
            }
            worked += takeOn();
        }
        worked += line.handIn();
        if (ending == null) {
            refill();
        }
        update();
        return worked;
    }

    /** Returns how long it may rest, in ns. */
    long restNanos() {
        if (ending == null && line.hasRefused()) {
            return Math.max(1, pauseLeft());
        }
        return ending == null ? rate.waitNanos() : Long.MAX_VALUE;
    }

    private long pauseLeft() {
        return pausedUntil - doors.nanoTime().getAsLong();
    }

    /** Sends letters on their way, as far as all have room. */
    private int takeOn() {
        int taken = 0;
        Delivery next;
        while (line.hasRoom() && mayTakeMore() && rate.permits() && (next = source.peek()) != null) {
            LetterRoute.Way way = route.of(next.message());
            if (way.refusal() != null) {
                leave(next, way.refusal());
            } else if (job.request().dryRun()) {
                matched++;
                source.remove();
                source.seen(next);
            } else if (!send(next, way)) {
                return taken;
            }
            taken++;
        }
        return taken;
    }

    private boolean mayTakeMore() {
        long max = job.request().max();
        return max == 0 || handled() < max;
    }

    /** Returns how many letters were done, or are on their way. */
    private long handled() {
        return job.request().dryRun() ? matched : done + line.letters();
    }

    private void leave(Delivery letter, Refusal why) {
        source.remove();
        if (takes) {
            dispatcher.released(source, letter); // the dispatcher finds the same of it, and counts it
        } else {
            source.seen(letter);
            failed(why);
        }
    }

    private void failed(Refusal why) {
        failed++;
        matched++;
        if (firstFailure == null) {
            firstFailure = why.toString();
        }
    }

    /** @return false if its address has no room */
    private boolean send(Delivery letter, LetterRoute.Way way) {
        Message message = letter.message();
        byte[] encoded = way.address() == null
                ? null
                : way.revives() ? doors.format().revived(message.encoded()) : message.encoded();
        if (encoded != null && !reserve(way.address(), encoded.length)) {
            return false;
        }
        source.remove();
        rate.took();
        Enlisted enlisted = null;
        if (takes) {
            enlisted = dispatcher.enlist(source, letter);
            if (enlisted == null || enlisted.over()) { // an application settled it in the database
                if (encoded != null) {
                    way.address().quota().release(1, encoded.length);
                }
                if (enlisted != null) {
                    dispatcher.committed(enlisted);
                }
                return true;
            }
        } else {
            source.seen(letter);
        }
        matched++;
        line.add(letter, enlisted, way, encoded);
        return true;
    }

    private boolean reserve(Address address, int bytes) {
        AddressQuota quota = address.quota();
        if (!quota.tryReserve(1, bytes)) {
            room.of(quota);
            if (!quota.tryReserve(1, bytes)) { // there may have been room before this waited for it
                trouble = "waits for room: " + address + " has " + quota.messages() + " of " + quota.messagesMax()
                        + " messages, " + quota.bytes() + " of " + quota.bytesMax() + " bytes";
                return false;
            }
        }
        room.end();
        trouble = null;
        return true;
    }

    // ---- what becomes of letters

    private void ended(Passage passage) {
        Refusal refusal = passage.refusal();
        if (refusal == null) {
            done++;
            pause = 0;
            trouble = null;
            if (passage.enlisted() != null) {
                dispatcher.committed(passage.enlisted());
            }
        } else if (refusal.reason() == Refusal.Reason.UNAVAILABLE) {
            halt(); // nobody knows whether it is durable: the next start does
        } else if (ending != null) {
            giveBack(passage);
        } else if (refusal.reason() != Refusal.Reason.NOT_FOUND) {
            tryAgainLater(passage, refusal);
        } else {
            giveBack(passage);
            if (target != null) {
                end(Job.State.FAILED, "RT-7125 the target is gone: " + refusal);
            }
        }
    }

    /** Keeps a letter whose place is gone: its route is looked up anew when it comes again. */
    private void giveBack(Passage passage) {
        matched--;
        if (passage.enlisted() != null) {
            dispatcher.rolledBack(passage.enlisted(), false);
        }
    }

    private void tryAgainLater(Passage passage, Refusal refusal) {
        if (!line.hasRefused()) {
            pause = Math.min(PAUSE_MAX_NANOS, Math.max(PAUSE_NANOS, 2 * pause));
            pausedUntil = doors.nanoTime().getAsLong() + pause;
        }
        trouble = "waits, since the store refused a letter: " + refusal;
        line.keep(passage);
    }

    // ---- credit and the end

    private void refill() {
        long more = job.request().max() == 0 ? Long.MAX_VALUE : job.request().max() - handled();
        if (more <= 0) {
            if (line.isEmpty()) {
                end(Job.State.DONE, null);
            }
            return;
        }
        source.credit((int) Math.min(more, Math.min(rate.burst(), LetterSource.LETTERS_MAX)) - source.letters());
        if (source.letters() == 0 && line.isEmpty()) {
            if (source.isExhausted()) {
                end(Job.State.DONE, null);
            } else {
                source.ask();
            }
        }
    }

    private void update() {
        long left = choice == null ? 0 : choice.left();
        String first = choice == null || choice.firstReason() == null ? firstFailure : choice.firstReason();
        job = job.with(matched + left, done, failed + left, trouble == null ? first : trouble);
        if (isOver() && !halted) {
            job = job.ended(ending, Instant.ofEpochMilli(doors.clockMs().getAsLong()), error == null ? first : error);
        }
    }
}
