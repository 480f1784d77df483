(ns engine.core
  "Docs (of it."
  (:require [clojure.string :as str]))

; A constant.
(def ^:const answer 42)
(def ^{:doc "x"} documented 1)

;; Adds.
(defn add
  "Adds ) two."
  ([a] (add a \())
  ([a b] (+ a b)))

(defn- hidden? [x] (nil? x))
(defmacro unless [c & body] `(if ~c nil (do ~@body)))
(defmulti area :shape)
(defmethod area :circle [{:keys [r]}] (* r r))

(defprotocol Shape
  (draw [this] "Draws.")
  (scale [this by]))

(defrecord Circle [r]
  Shape
  (draw [this] :circle)
  (scale [this by] (update this :r * by)))

(defonce state (atom {}))
(comment (defn not-listed []))
