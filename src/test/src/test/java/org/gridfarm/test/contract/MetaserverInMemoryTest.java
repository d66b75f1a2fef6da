package org.gridfarm.test.contract;

import org.gridfarm.client.core.MemoryFarm;
import org.gridfarm.protocol.rpc.Peer;
import org.gridfarm.protocol.rpc.Services;
import org.junit.jupiter.api.Tag;

@Tag("quick")
class MetaserverInMemoryTest extends MetaserverContract {
    private final MemoryFarm farm = new MemoryFarm(1);

    @Override
    Peer dial(Services pushes) {
        return farm.dial(pushes);
    }

    @Override
    void end() {
        farm.close();
    }
}
