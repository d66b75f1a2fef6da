package org.gridfarm.client.hadoop.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.contract.AbstractFSContract;

import java.io.IOException;
import java.net.URI;

/** The farm that {@code GF_CONFIG} names, below {@code -Dgf.contract.directory}. */
final class GridfarmContract extends AbstractFSContract {
    static final URI ROOT = URI.create("gf:///");

    GridfarmContract(Configuration configuration) {
        super(configured(configuration));
        addConfResource("contract/gf.xml");
    }

    static Configuration configured(Configuration configuration) {
        configuration.set("fs.AbstractFileSystem.gf.impl", "org.gridfarm.client.hadoop.GridfarmFs");
        return configuration;
    }

    static Path directory() {
        return new Path("gf:" + System.getProperty("gf.contract.directory"));
    }

    @Override
    public FileSystem getTestFileSystem() throws IOException {
        return FileSystem.get(ROOT, getConf());
    }

    @Override
    public String getScheme() {
        return "gf";
    }

    @Override
    public Path getTestPath() {
        return new Path(directory(), "contract");
    }
}
