package org.gridfarm.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.wire.CommitContent;
import org.gridfarm.protocol.wire.Credentials;
import org.gridfarm.protocol.wire.MutateRequest;
import org.gridfarm.protocol.wire.SetAttributes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What takes set-user bits, set-group bits and capabilities from a program. */
class PrivilegesTest {
    private static final String CAPABILITY = "security.capability";

    private final Farm farm = new Farm();
    private long program;

    @BeforeEach
    void make() {
        farm.umask = 0;
        program = farm.create(Namespace.ROOT, "program", 0);
        give(06777);
    }

    private void give(int mode) {
        farm.as(Farm.ROOT).chmod(program, mode);
        farm.setXattr(program, CAPABILITY, new byte[20]);
        farm.open.add(program);
    }

    private String has() {
        return Integer.toOctalString(farm.state.image(program).getMode())
                + (farm.stat(program).getHasCapability() ? " capable" : "");
    }

    private SetAttributes.Builder change() {
        return SetAttributes.newBuilder().setInode(program);
    }

    private MutateRequest.Builder commit(long written) {
        return Farm.request()
                .setCommit(
                        CommitContent.newBuilder()
                                .setInode(program)
                                .setHandle(program)
                                .setGeneration(1)
                                .setSize(5)
                                .setMtime(written));
    }

    enum Way {
        COMMIT,
        TRUNCATE,
        CLEAR_BEFORE_A_WRITE
    }

    private void write(Way way, Credentials who) {
        boolean keepsBits = Access.isSuperuser(who);
        farm.as(who);
        switch (way) {
            case COMMIT -> farm.run(commit(farm.stat(program).getCtime() + 1));
            case TRUNCATE -> farm.set(change().setSize(0));
            case CLEAR_BEFORE_A_WRITE ->
                    farm.set(
                            change().setHandle(program)
                                    .setClearSuidSgid(!keepsBits)
                                    .setClearCapability(true));
        }
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void aWriteTakesAllOfThem(Way way) {
        write(way, Farm.ALICE);
        assertThat(has()).isEqualTo("777");
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void aWriteOfTheSuperuserTakesCapabilitiesAlone(Way way) {
        write(way, Farm.ROOT);
        assertThat(has()).isEqualTo("6777");
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void theGroupBitOfWhatTheGroupDoesNotRunStaysWithItsMembers(Way way) {
        give(02766);
        farm.chown(program, 0, 50);
        give(02766);
        write(way, Farm.ALICE);
        assertThat(has()).isEqualTo("2766");
        give(02766);
        write(way, Farm.BOB);
        assertThat(has()).isEqualTo("766");
    }

    @Test
    void anotherOwnerTakesAllOfThemEvenFromTheSuperuser() {
        farm.chown(program, 1000, 1000);
        assertThat(has()).isEqualTo("777");
        give(06777);
        farm.as(Farm.ALICE).set(change().setGid(1000));
        assertThat(has()).isEqualTo("777");
    }

    @Test
    void aDirectoryKeepsItsBits() {
        long directory = farm.mkdir(Namespace.ROOT, "d", 0755);
        farm.chmod(directory, 06755);
        farm.chown(directory, 1000, 1000);
        assertThat(farm.stat(directory).getMode()).isEqualTo(06755);
    }

    @Test
    void aCommitOfWhatWasWrittenBeforeTheyWereGivenTakesNothing() {
        farm.as(Farm.ALICE).run(commit(farm.stat(program).getCtime()));
        assertThat(has()).isEqualTo("6777 capable");
    }

    @Test
    void anOpenThatEmptiesTheFileTakesThem() {
        farm.state.privilegesOf(program, Farm.ROOT, 7000).forEach(farm.state::apply);
        assertThat(has()).isEqualTo("6777");
        assertThat(farm.state.privilegesOf(program, Farm.ROOT, 7001)).isEmpty();
        farm.state.privilegesOf(program, Farm.ALICE, 7002).forEach(farm.state::apply);
        assertThat(has()).isEqualTo("777");
        assertThat(farm.stat(program).getCtime()).isEqualTo(7002);
        assertThat(farm.state.privilegesOf(program, Farm.ALICE, 7003)).isEmpty();
    }

    /** The kernel asks for it in the name of who is about to write, or to change the owner. */
    @Test
    void whoMayChangeTheFileMayRemoveItsCapabilities() {
        farm.chmod(program, 0755);
        farm.open.clear();
        assertThat(farm.refusal(() -> farm.as(Farm.ALICE).removeXattr(program, CAPABILITY)))
                .isEqualTo(ErrorKind.NOT_PERMITTED);
        farm.open.add(program); // by its owner, who has handed the descriptor over
        farm.removeXattr(program, CAPABILITY);
        assertThat(has()).isEqualTo("755");
        farm.as(Farm.ROOT).chown(program, 1000, 1000);
        farm.setXattr(program, CAPABILITY, new byte[20]);
        farm.open.clear();
        farm.as(Farm.ALICE).removeXattr(program, CAPABILITY);
        assertThat(has()).isEqualTo("755");
        assertThat(farm.refusal(() -> farm.setXattr(program, CAPABILITY, new byte[20])))
                .isEqualTo(ErrorKind.NOT_PERMITTED);
    }

    @Test
    void whoNeitherOwnsNorWritesTheFileTakesNothing() {
        farm.open.clear();
        assertThat(farm.refusal(() -> farm.as(Farm.ALICE).set(change().setClearSuidSgid(true))))
                .isEqualTo(ErrorKind.NOT_PERMITTED);
        assertThat(has()).isEqualTo("6777 capable");
    }

    @Test
    void whereThereIsNothingToTakeTheFileDoesNotChange() {
        write(Way.CLEAR_BEFORE_A_WRITE, Farm.ALICE);
        long version = farm.stat(program).getVersion();
        write(Way.CLEAR_BEFORE_A_WRITE, Farm.ALICE);
        assertThat(farm.stat(program).getVersion()).isEqualTo(version);
    }
}
