package org.gridfarm.test.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.client.cli.gateway.Gateway;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.protocol.name.FarmPath;
import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.net.http.HttpResponse;

/** WebHDFS by the gateway: what its documentation says, and Hadoop's own client. */
class GatewayWebHdfsTest extends GatewayCases {
    // ---- WebHDFS

    @Test
    void creatingLeadsOnAndWritesAtTheSecondStep() {
        HttpResponse<String> first =
                raw("PUT", WEB + "/two?op=CREATE&permission=640&replication=1");
        assertThat(first.statusCode()).isEqualTo(307);
        String location = first.headers().firstValue("Location").orElseThrow();
        assertThat(location).startsWith(gateway.url()).contains("data=true");
        assertThat(names("/gateway")).doesNotContain("two");
        String second = location.substring(gateway.url().length());
        HttpResponse<String> made = put(second, "in two steps");
        assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
        assertThat(made.headers().firstValue("Location")).isPresent();
        FileInfo found = farm.client().stat(FarmPath.of("/gateway/two"));
        assertThat(found.mode()).isEqualTo(0640);
        assertThat(found.replicasWanted()).isEqualTo(1);

        JsonNode told = json(raw("PUT", WEB + "/two?op=CREATE&overwrite=true&noredirect=true"));
        assertThat(told.get("Location").asString())
                .contains("data=true")
                .doesNotContain("noredirect");
        assertThat(put(WEB + "/one?op=CREATE", "in one step").statusCode()).isEqualTo(201);
        assertThat(put(WEB + "/one?op=CREATE", "again").statusCode()).isEqualTo(403);
        assertThat(put(WEB + "/p/q/r?op=CREATE&createparent=false", "x").statusCode())
                .isEqualTo(404);
        assertThat(put(WEB + "/p/q/r?op=CREATE", "x").statusCode()).isEqualTo(201);
        assertThat(put(WEB + "/empty?op=CREATE&data=true", "").statusCode()).isEqualTo(201);

        HttpResponse<String> step = raw("POST", WEB + "/one?op=APPEND");
        assertThat(step.statusCode()).isEqualTo(307);
        String more = step.headers().firstValue("Location").orElseThrow();
        assertThat(asked("POST", more.substring(gateway.url().length()), ", and more").statusCode())
                .isEqualTo(200);
        assertThat(get(WEB + "/one?op=OPEN").body()).isEqualTo("in one step, and more");
        assertThat(get(WEB + "/one?op=OPEN&offset=3&length=3").body()).isEqualTo("one");
        assertThat(get(WEB + "/one?op=OPEN&offset=21").body()).isEmpty();
        assertThat(json(get(WEB + "/one?op=OPEN&noredirect=true")).get("Location").asString())
                .endsWith("/webhdfs/v1/gateway/one?op=OPEN");
        assertThat(
                        json(raw("POST", WEB + "/one?op=TRUNCATE&newlength=6"))
                                .get("boolean")
                                .asBoolean())
                .isTrue();
        assertThat(read("/gateway/one")).isEqualTo("in one");
    }

    @Test
    void namesAndAttributesChange() {
        assertThat(json(raw("PUT", WEB + "/d/e?op=MKDIRS&permission=750")).toString())
                .isEqualTo("{\"boolean\":true}");
        put(FS + "/d/e/f", "12345");
        JsonNode status = json(get(WEB + "/d/e/f?op=GETFILESTATUS")).get("FileStatus");
        assertThat(status.get("length").asInt()).isEqualTo(5);
        assertThat(status.get("type").asString()).isEqualTo("FILE");
        assertThat(status.get("owner").asString()).isEqualTo(System.getProperty("user.name"));
        assertThat(status.get("replication").asInt()).isEqualTo(2);
        JsonNode directory = json(get(WEB + "/d?op=LISTSTATUS")).at("/FileStatuses/FileStatus/0");
        assertThat(directory.get("pathSuffix").asString()).isEqualTo("e");
        assertThat(directory.get("permission").asString()).isEqualTo("750");

        done(raw("PUT", WEB + "/d/e/f?op=SETPERMISSION&permission=600"));
        done(raw("PUT", WEB + "/d/e/f?op=SETTIMES&modificationtime=86400000&accesstime=-1"));
        done(raw("PUT", WEB + "/d/e/f?op=SETOWNER&owner=daemon&group=daemon"));
        status = json(get(WEB + "/d/e/f?op=GETFILESTATUS")).get("FileStatus");
        assertThat(status.get("permission").asString()).isEqualTo("600");
        assertThat(status.get("owner").asString()).isEqualTo("daemon");
        assertThat(status.get("group").asString()).isEqualTo("daemon");
        assertThat(status.get("modificationTime").asLong()).isEqualTo(86_400_000);
        assertThat(bool(raw("PUT", WEB + "/d/e/f?op=SETREPLICATION&replication=3"))).isTrue();
        assertThat(bool(raw("PUT", WEB + "/d?op=SETREPLICATION&replication=3"))).isFalse();

        JsonNode sum = json(get(WEB + "/d?op=GETCONTENTSUMMARY")).get("ContentSummary");
        assertThat(sum.get("directoryCount").asInt()).isEqualTo(2);
        assertThat(sum.get("fileCount").asInt()).isEqualTo(1);
        assertThat(sum.get("length").asInt()).isEqualTo(5);
        assertThat(sum.get("spaceConsumed").asInt()).isEqualTo(15);

        done(raw("PUT", WEB + "/d/link?op=CREATESYMLINK&destination=e/f"));
        assertThat(json(get(WEB + "/d?op=LISTSTATUS")).toString())
                .contains("\"symlink\":\"e/f\",\"type\":\"SYMLINK\"");
        assertThat(get(WEB + "/d/link?op=OPEN").body()).isEqualTo("12345");

        assertThat(bool(raw("PUT", WEB + "/d/e/f?op=RENAME&destination=/gateway/d/g"))).isTrue();
        assertThat(bool(raw("PUT", WEB + "/d/g?op=RENAME&destination=/gateway/d/e"))).isTrue();
        assertThat(names("/gateway/d/e")).containsExactly("g");
        assertThat(bool(raw("PUT", WEB + "/d/none?op=RENAME&destination=/gateway/d/h"))).isFalse();
        put(FS + "/d/h", "h");
        assertThat(bool(raw("PUT", WEB + "/d/e/g?op=RENAME&destination=/gateway/d/h"))).isFalse();
        done(raw("PUT", WEB + "/d/e/g?op=RENAME&destination=/gateway/d/h&renameoptions=OVERWRITE"));
        assertThat(read("/gateway/d/h")).isEqualTo("12345");

        HttpResponse<String> full = raw("DELETE", WEB + "/d?op=DELETE");
        assertThat(full.statusCode()).isEqualTo(403);
        assertThat(full.body()).contains("PathIsNotEmptyDirectoryException");
        assertThat(bool(raw("DELETE", WEB + "/d?op=DELETE&recursive=true"))).isTrue();
        assertThat(bool(raw("DELETE", WEB + "/d?op=DELETE&recursive=true"))).isFalse();
    }

    private static boolean bool(HttpResponse<String> answer) {
        return json(answer).get("boolean").asBoolean();
    }

    private static void done(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).isEmpty();
    }

    @Test
    void attributesAndAclsAreThoseOfTheFarm() {
        put(FS + "/acl", "x");
        done(
                raw(
                        "PUT",
                        WEB
                                + "/acl?op=SETXATTR&xattr.name=user.origin&xattr.value=0x6162&flag=CREATE"));
        HttpResponse<String> again =
                raw("PUT", WEB + "/acl?op=SETXATTR&xattr.name=user.origin&flag=CREATE");
        assertThat(again.statusCode()).isEqualTo(403);
        assertThat(json(get(WEB + "/acl?op=GETXATTRS")).toString())
                .isEqualTo("{\"XAttrs\":[{\"name\":\"user.origin\",\"value\":\"\\\"ab\\\"\"}]}");
        assertThat(get(WEB + "/acl?op=GETXATTRS&xattr.name=user.origin&encoding=base64").body())
                .contains("0sYWI=");
        assertThat(json(get(WEB + "/acl?op=LISTXATTRS")).get("XAttrNames").asString())
                .isEqualTo("[\"user.origin\"]");
        done(raw("PUT", WEB + "/acl?op=REMOVEXATTR&xattr.name=user.origin"));
        assertThat(farm.client().listXattr(FarmPath.of("/gateway/acl"))).isEmpty();

        done(raw("PUT", WEB + "/acl?op=MODIFYACLENTRIES&aclspec=user:daemon:rw-,group::r--"));
        JsonNode acl = json(get(WEB + "/acl?op=GETACLSTATUS")).get("AclStatus");
        assertThat(acl.get("entries").toString()).contains("user:daemon:rw-", "group::r--");
        assertThat(farm.gf("getfacl", "/gateway/acl")).contains("user:daemon:rw-");
        done(raw("PUT", WEB + "/acl?op=REMOVEACLENTRIES&aclspec=user:daemon:"));
        done(raw("PUT", WEB + "/acl?op=REMOVEACL"));
        assertThat(json(get(WEB + "/acl?op=GETACLSTATUS")).at("/AclStatus/entries").isEmpty())
                .isTrue();
        assertThat(raw("PUT", WEB + "/acl?op=SETACL&aclspec=default:user:daemon:rwx").statusCode())
                .isEqualTo(400);
        done(get(WEB + "/acl?op=CHECKACCESS&fsaction=rw-"));
    }

    @Test
    void pagesAreInOrderAndHoldEverything() {
        FarmPath many = FarmPath.of("/gateway/many");
        farm.client().mkdirs(many);
        for (int i = 0; i < 12; i++) farm.client().mkdirs(many.child("n" + i));
        JsonNode page =
                json(get(WEB + "/many?op=LISTSTATUS_BATCH&startAfter=n3")).get("DirectoryListing");
        assertThat(page.get("remainingEntries").asInt()).isZero();
        assertThat(page.at("/partialListing/FileStatuses/FileStatus").size()).isEqualTo(6);
        assertThat(page.at("/partialListing/FileStatuses/FileStatus/0/pathSuffix").asString())
                .isEqualTo("n4");
    }

    @Test
    void whereBytesAreAndWhatTheySumUpTo() {
        put(FS + "/summed", "some bytes");
        JsonNode place =
                json(get(WEB + "/summed?op=GETFILEBLOCKLOCATIONS"))
                        .at("/BlockLocations/BlockLocation/0");
        assertThat(place.get("length").asInt()).isEqualTo(10);
        assertThat(place.get("hosts").size()).isEqualTo(2);
        JsonNode sum = json(get(WEB + "/summed?op=GETFILECHECKSUM")).get("FileChecksum");
        assertThat(sum.get("bytes").asString()).hasSize(64);
        assertThat(json(get("/webhdfs/v1/?op=GETHOMEDIRECTORY")).get("Path").asString())
                .isEqualTo("/user/" + System.getProperty("user.name"));
        assertThat(json(get(WEB + "?op=GETSTATUS")).at("/FsStatus/capacity").asLong()).isPositive();
    }

    /** The client of Hadoop itself, in a process with Hadoop's class path. */
    @Test
    void hadoopsOwnClientWorksWithIt() throws IOException {
        try (Gateway open = gateway(config, true)) {
            String address = open.url().substring("http://".length());
            HadoopContractsTest.webHdfs(farm, address);
        }
    }
}
