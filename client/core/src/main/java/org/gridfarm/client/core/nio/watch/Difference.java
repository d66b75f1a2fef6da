package org.gridfarm.client.core.nio.watch;

import org.gridfarm.protocol.name.Name;

import java.nio.file.Path;
import java.nio.file.WatchEvent;

/** One entry that is not as it was. */
record Difference(WatchEvent.Kind<Path> kind, Name name) {}
