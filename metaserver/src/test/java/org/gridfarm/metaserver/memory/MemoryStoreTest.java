package org.gridfarm.metaserver.memory;

import org.gridfarm.metaserver.commit.JournalStore;
import org.gridfarm.metaserver.commit.JournalStoreContract;

class MemoryStoreTest extends JournalStoreContract {
    @Override
    protected JournalStore open() {
        return new MemoryStore();
    }
}
