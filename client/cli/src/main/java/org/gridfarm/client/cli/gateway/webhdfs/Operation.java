package org.gridfarm.client.cli.gateway.webhdfs;

import org.gridfarm.client.cli.gateway.call.Call;
import org.gridfarm.client.cli.gateway.http.Parameters;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.util.List;

/** What can be asked for: by which method of HTTP, with which parameters, and who answers. */
enum Operation {
    OPEN(
            "GET",
            (call, contents) -> contents.open(call),
            "offset",
            "length",
            "buffersize",
            "noredirect"),
    GETFILESTATUS("GET", Looking::status),
    LISTSTATUS("GET", Looking::list),
    LISTSTATUS_BATCH("GET", Looking::page, "startafter"),
    GETCONTENTSUMMARY("GET", Looking::summary),
    GETQUOTAUSAGE("GET", Looking::quotaUsage),
    GETFILECHECKSUM("GET", Looking::checksum, "noredirect"),
    GETHOMEDIRECTORY("GET", Looking::home),
    GETTRASHROOT("GET", Looking::trash),
    GETLINKTARGET("GET", Looking::linkTarget),
    GETSERVERDEFAULTS("GET", Looking::defaults),
    GETSTATUS("GET", Looking::space),
    CHECKACCESS("GET", Acls::check, "fsaction"),
    GETFILEBLOCKLOCATIONS("GET", Places::blockLocations, "offset", "length"),
    GET_BLOCK_LOCATIONS("GET", Places::refused, "offset", "length"),
    GETXATTRS("GET", Xattrs::get, "xattr.name", "encoding"),
    LISTXATTRS("GET", Xattrs::list),
    GETACLSTATUS("GET", Acls::status),
    CREATE(
            "PUT",
            (call, contents) -> contents.create(call),
            "overwrite",
            "blocksize",
            "replication",
            "permission",
            "unmaskedpermission",
            "buffersize",
            "createparent",
            "createflag",
            "storagepolicy",
            "ecpolicyname",
            "noredirect",
            "data"),
    MKDIRS("PUT", Changes::mkdirs, "permission", "unmaskedpermission"),
    CREATESYMLINK("PUT", Changes::symlink, "destination", "createparent"),
    RENAME("PUT", Changes::rename, "destination", "renameoptions"),
    SETREPLICATION("PUT", Changes::replication, "replication"),
    SETOWNER("PUT", Changes::owner, "owner", "group"),
    SETPERMISSION("PUT", Changes::permission, "permission"),
    SETTIMES("PUT", Changes::times, "modificationtime", "accesstime"),
    SETXATTR("PUT", Xattrs::set, "xattr.name", "xattr.value", "flag"),
    REMOVEXATTR("PUT", Xattrs::remove, "xattr.name"),
    SETACL("PUT", Acls::set, "aclspec"),
    MODIFYACLENTRIES("PUT", Acls::modify, "aclspec"),
    REMOVEACLENTRIES("PUT", Acls::removeEntries, "aclspec"),
    REMOVEDEFAULTACL("PUT", Acls::removeDefault),
    REMOVEACL("PUT", Acls::removeAll),
    APPEND("POST", (call, contents) -> contents.append(call), "buffersize", "noredirect", "data"),
    CONCAT("POST", Changes::concat, "sources"),
    TRUNCATE("POST", Changes::truncate, "newlength"),
    DELETE("DELETE", Changes::delete, "recursive");

    private interface Answering {
        void answer(Call call) throws IOException;
    }

    private interface AnsweringByContents {
        void answer(Call call, Contents contents) throws IOException;
    }

    private final String method;
    private final AnsweringByContents answering;
    private final List<String> parameters;

    Operation(String method, Answering answering, String... parameters) {
        this(method, (call, _) -> answering.answer(call), parameters);
    }

    Operation(String method, AnsweringByContents answering, String... parameters) {
        this.method = method;
        this.answering = answering;
        this.parameters = List.of(parameters);
    }

    static Operation named(String word) {
        for (Operation operation : values()) {
            if (operation.name().equals(word)) return operation;
        }
        throw Parameters.wrong("op", "no operation is called " + word);
    }

    String method() {
        return method;
    }

    List<String> parameters() {
        return parameters;
    }

    void answer(Call call, Contents contents) throws IOException {
        answering.answer(call, contents);
    }

    static FarmException unsupported(Call call, String what, String instead) {
        return new FarmException(ErrorKind.UNSUPPORTED, what, call.path().toString(), instead);
    }
}
