package shop

/* class NotThis /* nested */ */
typealias Name = String

const val LIMIT = 3

data class Item(val name: String, val price: Int = 1) : Comparable<Item> {
    constructor(name: String) : this(name, 2)

    override fun compareTo(other: Item): Int = price - other.price

    companion object {
        fun of(name: String) = Item("${name} fun no() { ${"}"}")
    }
}

sealed interface State {
    object Open : State
    data object Paid : State
    fun next(): State?
}

enum class Color(val rgb: Int) { RED(1), GREEN(2); fun dark() = rgb / 2 }

annotation class Marked

fun <T : Any> List<T>.second(): T? where T : Comparable<T> = getOrNull(1)

class Shop {
    val handler = object : Runnable { override fun run() {} }
    private inline fun <reified T> `with spaces`(block: (T) -> Unit) {
        fun inner() {}
    }
}
