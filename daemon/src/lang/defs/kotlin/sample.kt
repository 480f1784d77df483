#!/usr/bin/env kotlin
@file:JvmName("Tools")

package com.example.tool

import com.example.Shape
import com.example.other.Shape as OtherShape
import kotlin.math.*

/** How many. */
const val LIMIT = 10
internal val shared: MutableList<String> = mutableListOf()
private var (left, right) = 1 to 2

/**
 * The length of a text.
 */
val String.size: Int
    get() = if (isEmpty()) 0 else length

typealias Change<T> = (T) -> Unit

/** Something that has a size. */
interface Sized<out T : Any> : Named, com.example.Countable<T> {
    val size: Int
    fun corner(at: Int): T
    fun isSmall(): Boolean = size < LIMIT && size >= 0 || corner(0) == null
}

fun interface Runner {
    fun run(times: Int = 1)
}

@Target(AnnotationTarget.CLASS)
annotation class Slow(val seconds: Int)

enum class Planet(private val mass: Double) : Named {
    /** The first. */
    MERCURY(3.3),
    @Deprecated("old")
    EARTH(5.9) {
        override fun pull() = 2.0
    };

    val half: Double get() = mass / 2
    open fun pull(): Double = mass
}

// Says what follows,
// in two lines.
@Slow(seconds = 3)
data class Point<T : Number>(
    val x: Int,
    private var y: T? = null,
    name: String,
) : Base<T>(name), Sized<T> by delegate, Comparable<Point<T>> where T : Any {
    constructor(both: Int) : this(both, null, "both") {
        check(both > 0)
    }

    init {
        val local = name.length
        println(local)
    }

    /** Counts. */
    var count: Int = 0
        get() = field
        private set(value) {
            field = value
        }
    protected val lazily by lazy { 3 }
    private lateinit var größe: String

    operator fun plus(other: Point<T>): Point<T> = Point(x + other.x)
    protected open fun put(item: T) = put(item, 0)
    internal fun put(item: T, at: Int) {
        this.y = item
        items[at] = item
    }

    companion object : Factory {
        const val NAME = "point"

        @JvmStatic
        private fun make(vararg parts: Int): Point<Int> = Point(parts[0])
    }

    inner class Handle : Lid()

    sealed class Side {
        object Left : Side()
        data object Right : Side()
    }
}

object Registry : Named, Base.Inner<Int>() {
    private const val SECRET = 1
    fun `a strange name`() = Unit
}

private inline fun <reified K, V> Map<K, V>.every(noinline step: (key: K) -> Boolean): Int {
    var sum = 0
    val point = Point(1)
    val typed: Sized<Int> = point
    for ((key, value) in this) {
        if (step(key)) continue
        sum += value
    }
    outer@ for (i: Int in 0..3) {
        while (sum > 0) sum--
        do { sum++ } while (sum < 3)
    }
    try {
        load()
    } catch (problem: IOException) {
        problem.printStackTrace()
    } finally {
        close()
    }
    val runner = object : Runner {
        private var calls = 0
        override fun run(times: Int) {
            calls += times
        }
    }
    fun local(n: Int): Int = n * 2
    val block = fun(n: Int): Int { return n }
    point?.x?.let { it + local(1) } ?: 0
    this.map { (a, b) -> a to b }.filter { pair: Pair<K, V> -> pair.first is String }
    val text = "sum ${point.count}"
    val more = "$text and $more.size, \$point for 5 $ and $1, ${text}$more"
    return when (val found = text as? Any) {
        is String, null -> 1
        in 1..2 -> runner.run(2)
        !is Int -> 3
        else -> found::class.hashCode() + text!!.length
    }
}

suspend fun com.example.Shape?.orElse(other: () -> Unit) = other()

private enum class Switch { ON, OFF }

class Short { val width = 1 }
class Outer {
    companion object { const val X = "x }" }
    interface Wide { fun grow(by: Int) }
    fun make() = object : Runner { override fun run(times: Int) { println("${times} }") } }
}
