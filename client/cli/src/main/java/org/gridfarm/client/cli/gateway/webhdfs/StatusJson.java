package org.gridfarm.client.cli.gateway.webhdfs;

import org.gridfarm.client.cli.gateway.call.Call;
import org.gridfarm.client.cli.operand.HostNames;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import tools.jackson.core.JsonGenerator;

/** A FileStatus as WebHDFS shows it. */
final class StatusJson {
    /** By which jobs split files, as the connector for Hadoop has it; the farm has no blocks. */
    static final long BLOCK_BYTES = 128L << 20;

    private static final int PERMISSIONS = 01777;

    private StatusJson() {}

    /**
     * The properties, in an object that is begun.
     *
     * @param suffix of the path that was asked for
     */
    static void write(JsonGenerator json, Call call, FileInfo file, String suffix) {
        json.writeNumberProperty(
                "accessTime", file.isDirectory() ? 0 : file.accessed().toEpochMilli());
        json.writeNumberProperty("blockSize", file.isDirectory() ? 0 : BLOCK_BYTES);
        json.writeNumberProperty("childrenNum", 0);
        json.writeNumberProperty("fileId", file.inode());
        json.writeStringProperty("group", HostNames.group(file.gid()));
        json.writeNumberProperty("length", file.isRegularFile() ? file.size() : 0);
        json.writeNumberProperty("modificationTime", file.modified().toEpochMilli());
        json.writeStringProperty("owner", HostNames.user(file.uid()));
        json.writeStringProperty("pathSuffix", suffix);
        json.writeStringProperty("permission", Integer.toOctalString(file.mode() & PERMISSIONS));
        json.writeNumberProperty("replication", file.isRegularFile() ? file.replicasWanted() : 0);
        json.writeNumberProperty("storagePolicy", 0);
        if (file.attributes().getHasAcl()) json.writeBooleanProperty("aclBit", true);
        if (file.isSymbolicLink()) json.writeStringProperty("symlink", target(call, file));
        json.writeStringProperty("type", type(file));
    }

    /** Of a link that went meanwhile nothing is known. */
    private static String target(Call call, FileInfo link) {
        try {
            return call.farm().readLink(link.path());
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NOT_FOUND || e.kind() == ErrorKind.INVALID) return "";
            throw e;
        }
    }

    private static String type(FileInfo file) {
        return file.isDirectory() ? "DIRECTORY" : file.isSymbolicLink() ? "SYMLINK" : "FILE";
    }
}
