using System;
using System.Collections.Generic;

namespace Support.Storage
{
    public interface IStore<T> // ⟦ def IStore ⟧
    {
        void Add(T item); // ⟦ def IStore.Add ⟧

        T Find(Func<T, bool> accept); // ⟦ def IStore.Find ⟧
    }

    public class MemoryStore<T> : IStore<T> // ⟦ def MemoryStore ; impl MemoryStore of IStore ; ref IStore type ⟧
    {
        private readonly List<T> items = new List<T>(); // ⟦ def MemoryStore.items ⟧

        public int Count => items.Count; // ⟦ def MemoryStore.Count ; ref MemoryStore.items read ⟧

        public void Add(T item) => items.Add(item); // ⟦ def MemoryStore.Add ; impl MemoryStore.Add of IStore.Add ; ref MemoryStore.items read ⟧

        public T Find(Func<T, bool> accept) // ⟦ def MemoryStore.Find ; impl MemoryStore.Find of IStore.Find ⟧
        {
            return items.Find(item => accept(item)); // ⟦ ref MemoryStore.items read ⟧
        }

        public static MemoryStore<T> Of(params T[] items) // ⟦ def MemoryStore.Of ; ref MemoryStore type ⟧
        {
            var store = new MemoryStore<T>(); // ⟦ call MemoryStore from MemoryStore.Of ⟧
            Array.ForEach(items, store.Add); // ⟦ ref MemoryStore.Add read ⟧
            return store;
        }
    }
}
