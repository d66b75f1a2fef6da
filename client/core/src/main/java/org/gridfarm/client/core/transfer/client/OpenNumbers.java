package org.gridfarm.client.core.transfer.client;

/**
 * By what the leader knows one open. They are taken in the thread of who asks, before anything is
 * waited for: there the client's {@link org.gridfarm.client.core.session.Inheritance} knows to
 * which request they belong, and gives that request the same ones where it comes again.
 *
 * @param sequence 0: it is opened for reading, which changes nothing
 */
record OpenNumbers(long handle, long sequence) {}
