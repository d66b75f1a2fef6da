package org.gridfarm.client.hadoop;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.DelegateToFileSystem;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;

/** {@code fs.AbstractFileSystem.gf.impl}: the same for programs that use FileContext. */
public final class GridfarmFs extends DelegateToFileSystem {
    /** By reflection, as Hadoop makes it. */
    public GridfarmFs(URI name, Configuration configuration)
            throws IOException, URISyntaxException {
        super(name, new GridfarmFileSystem(), configuration, Settings.SCHEME, false);
    }

    /** None: the addresses of the farm are in its own configuration. */
    @Override
    public int getUriDefaultPort() {
        return -1;
    }
}
