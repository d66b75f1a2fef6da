package org.gridfarm.client.core.metadata;

import org.gridfarm.protocol.wire.Attributes;
import org.gridfarm.protocol.wire.DirentImage;

import java.util.List;

/**
 * A directory that was there before it became this client's own.
 *
 * @param entries all there are
 * @param files in it, but those that the leader may be changing
 */
public record GivenDirectory(
        Attributes directory, List<DirentImage> entries, List<Attributes> files) {}
