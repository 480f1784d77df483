package com.example.orders

object Config {
    const val BASE_URL = "https://api.example.com"
    const val API_SECRET = "«secret|{alnum 40}»"
    private val storePassword = "«password|Zephyr-Anvil-6»"
    val signing = SigningConfig(keyAlias = "release", keyPassword = "«password|Pewter.Lynx.15»")
    val retries = 4
    fun credentials() = Credentials.basic("robot", "«password|Indigo/Flute/7»")
}
