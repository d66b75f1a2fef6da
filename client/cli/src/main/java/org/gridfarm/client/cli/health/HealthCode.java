package org.gridfarm.client.cli.health;

/**
 * Everything that {@code gf health} can find. The names are part of the interface: they are muted
 * by them and monitoring knows them, so that none is ever renamed or used for something else.
 */
public enum HealthCode {
    NO_METASERVER_ANSWERS(
            Severity.ERROR, "No metaserver answers this machine: no call on the farm succeeds."),
    ACCESS_REFUSED(Severity.ERROR, "The farm does not let this machine or person in."),
    FILES_LOST(Severity.ERROR, "No node has a good copy of these files any more."),
    FILES_CORRUPT(Severity.ERROR, "A copy of these files does not fit its checksums."),
    FILES_AWAY(Severity.WARNING, "All copies of these files are on nodes that do not answer."),
    FILES_UNDER_LEVEL(
            Severity.WARNING, "These files have fewer copies than their level; repair makes them."),
    REPAIR_HAS_NO_ROOM(Severity.WARNING, "Copies are missing and no node has room for them."),
    NODE_DOWN(
            Severity.WARNING,
            "A storage node does not answer; its files are copied again from others."),
    NODE_SUSPECT(Severity.WARNING, "A storage node was silent, or is telling what it has."),
    NODE_FULL(Severity.WARNING, "Less than a twentieth of the disks of a node is left."),
    NODE_BAD_BLOCKS(Severity.WARNING, "A node has read blocks that do not fit their checksum."),
    NODE_DRAIN_BLOCKED(Severity.WARNING, "A node is being emptied and something is in the way."),
    NODES_UNEVEN(Severity.WARNING, "One node is much fuller than another."),
    FARM_FULL(Severity.ERROR, "No node has room for new files."),
    DATABASE_SILENT(Severity.ERROR, "PostgreSQL does not answer: no name can be changed."),
    COORDINATION_LOST(Severity.WARNING, "No other metaserver can be elected."),
    METASERVER_ALONE(Severity.WARNING, "Nobody would take over from the only metaserver."),
    METASERVER_BEHIND(Severity.WARNING, "A cache server is far behind the leader."),
    METASERVER_FULL(Severity.WARNING, "A metaserver takes nothing new for want of memory."),
    DELEGATIONS_STALLED(
            Severity.WARNING,
            "A mount does not give back a directory of its own that somebody waits for."),
    DELEGATIONS_DIFFER(
            Severity.ERROR,
            "A mount told its programs of changes that the leader then came to otherwise."),
    TABLES_BEHIND(Severity.WARNING, "PostgreSQL takes changes more slowly than they come."),
    CERTIFICATE_EXPIRED(Severity.ERROR, "The certificate of this machine or person has run out."),
    CERTIFICATE_EXPIRES(
            Severity.WARNING, "The certificate of this machine or person runs out soon."),
    MOUNT_HANGS(Severity.ERROR, "A mount on this machine does not answer."),
    MOUNT_DEAD(Severity.ERROR, "The process of a mount on this machine has ended.");

    /** The exit status of gf health is that of the worst finding. */
    public enum Severity {
        WARNING(1),
        ERROR(2);

        private final int status;

        Severity(int status) {
            this.status = status;
        }

        public int status() {
            return status;
        }
    }

    private final Severity severity;
    private final String meaning;

    HealthCode(Severity severity, String meaning) {
        this.severity = severity;
        this.meaning = meaning;
    }

    public Severity severity() {
        return severity;
    }

    /** One sentence: what it means, whatever the case at hand. */
    public String meaning() {
        return meaning;
    }
}
