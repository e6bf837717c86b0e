import Foundation

/* class NotThis {} /* nested */ */
public protocol Priced: AnyObject {
    associatedtype Money
    var price: Int { get }
    func total(for count: Int) -> Int
}

public final class Shop<T>: NSObject, Priced where T: Equatable {
    var price: Int { 1 }
    let text = "func no() { \(["}"].first ?? "")"
    let raw = #"class No { " }"#

    public init?(name: String) { nil }
    deinit {}

    class func shared() -> Shop? { nil }
    static func == (a: Shop, b: Shop) -> Bool { true }
    subscript(index: Int) -> Int { index }
    @discardableResult
    func total(for count: Int = 2) -> Int {
        func inner() {}
        return self.init(name: "").hash
    }
}

struct Item { let name: String }
indirect enum State { case open, paid(Int) }
actor Counter { func add() {} }
typealias Name = String
extension Array.Index where Element == Int { func sum() -> Int { 0 } }
func `default`() {}
