#region Shop
using System;
namespace Shop.Web
{
    /// <summary>class NotThis {}</summary>
    [Serializable]
    public abstract partial class Cart<T> : Base<T>, IPriced where T : class, new()
    {
        private readonly string text = @"class No { ""; " + $"{"}"}";
        public const int Limit = 3;
        public event EventHandler Changed;
        public int Count { get; private set; } = 1;
        public int Twice => Count * 2;
        public T this[int index] { get { return items[index]; } }

        public Cart(int size) : base(size) { }
        ~Cart() { }
        public static bool operator ==(Cart<T> a, Cart<T> b) => true;

        [Obsolete("old")]
        public async Task<List<T>> Load<K>(string name, params K[] more) where K : struct
        {
            using (var a = new Reader(name)) { a.Read(); }
            lock (this) { }
            void Local() { }
            return null;
        }

        protected abstract void Draw();
        void IPriced.Price() { }
        public delegate int Compare(T a, T b);
    }

    public interface IPriced { void Price(); int Total { get; } }
    public enum Color { Red, Green }
    public readonly struct Point { public int Sum() => 1; }
    public record Item(string Name, int Price);
}
#endregion
