package io.ringtable.broker.login;

/**
 * Says as whom the nodes of a cluster log in at each other.
 *
 * @param user null = no node carries clients to this one
 * @param password with which this node logs in at others; null = it carries no clients to them
 */
public record NodeLogin(String user, String password) {
    @Override
    public String toString() {
        return "NodeLogin[user=" + user + "]";
    }
}
