package org.gridfarm.client.cli.doctor;

import org.gridfarm.protocol.error.ErrorKind;

/** What a person can do about a failure. */
public final class Cure {
    private Cure() {}

    public static String of(ErrorKind kind) {
        return switch (kind) {
            case DATA_UNAVAILABLE, OBJECT_ABSENT ->
                    "bring up a node that holds it (gf where shows them, gf nodes says which are down)";
            case DATA_LOST ->
                    "gf replicas --lost says which files and where bad copies lie; write them anew, or remove them";
            case CORRUPT, DISK_FAILED ->
                    "look at the disk of the node that is named; a good copy is made again by itself where one is left";
            case NO_SPACE -> "free or add space (gf df), or lower the replica level (gf setrep)";
            case QUOTA_EXCEEDED -> "remove something, or ask the administrator for more";
            case TIMED_OUT, DISCONNECTED, UNAVAILABLE, NOT_LEADER, OVERLOADED, NOT_READY ->
                    "see whether all servers run and are reached: gf doctor, gf status";
            case SESSION_ENDED, STALE, BAD_HANDLE, WRONG_GENERATION ->
                    "open the file again; what was synced before is there";
            case NOT_AUTHENTICATED, TICKET_REFUSED ->
                    "look at the certificates and the clock: gf doctor";
            case ACCESS_DENIED, NOT_PERMITTED ->
                    "ask the owner for the rights; gf ls -l shows them";
            default -> "";
        };
    }
}
