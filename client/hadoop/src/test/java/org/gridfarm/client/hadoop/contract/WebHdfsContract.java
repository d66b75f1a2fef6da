package org.gridfarm.client.hadoop.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.contract.AbstractFSContract;

import java.io.IOException;
import java.net.URI;

/** The gateway at {@code -Dgf.webhdfs}, by Hadoop's own client of WebHDFS. */
final class WebHdfsContract extends AbstractFSContract {
    WebHdfsContract(Configuration configuration) {
        super(configuration);
        addConfResource("contract/webhdfs.xml");
    }

    static FileSystem fileSystem(Configuration configuration) throws IOException {
        return FileSystem.newInstance(
                URI.create("webhdfs://" + System.getProperty("gf.webhdfs")), configuration);
    }

    static Path directory() {
        return new Path(System.getProperty("gf.contract.directory"));
    }

    @Override
    public FileSystem getTestFileSystem() throws IOException {
        return fileSystem(getConf());
    }

    @Override
    public String getScheme() {
        return "webhdfs";
    }

    @Override
    public Path getTestPath() {
        return new Path(directory(), "contract");
    }
}
