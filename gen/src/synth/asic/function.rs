//! Boolean functions of Liberty, and the same in Verilog.

/// A function of pins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Function {
    /// 0 or 1.
    Constant(bool),
    /// A pin.
    Pin(String),
    /// Not.
    Not(Box<Self>),
    /// And, or, exclusive or.
    Both(Operator, Box<Self>, Box<Self>),
}

/// What joins two functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// And: `*`, `&`, or nothing at all.
    And,
    /// Or: `+`, `|`.
    Or,
    /// Exclusive or: `^`.
    Xor,
}

impl Function {
    /// Reads a function such as `!(A B) + C'`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let fail = |cause: &str| format!("its function '{text}' {cause}");
        let tokens = tokens(text);
        let mut parser = Parser { tokens: &tokens, at: 0 };
        let function = parser.or(0).ok_or_else(|| fail("is no function"))?;
        if parser.at < tokens.len() { Err(fail("has more than a function")) } else { Ok(function) }
    }

    /// Is it the pin `name` itself?
    #[must_use]
    pub fn is_input(&self, name: &str) -> bool {
        matches!(self, Self::Pin(pin) if pin == name)
    }

    /// Its value, with those of the pins.
    #[must_use]
    pub fn value(&self, pins: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Self::Constant(value) => *value,
            Self::Pin(name) => pins(name),
            Self::Not(inner) => !inner.value(pins),
            Self::Both(Operator::And, a, b) => a.value(pins) && b.value(pins),
            Self::Both(Operator::Or, a, b) => a.value(pins) || b.value(pins),
            Self::Both(Operator::Xor, a, b) => a.value(pins) != b.value(pins),
        }
    }

    /// As a Verilog expression.
    #[must_use]
    pub fn verilog(&self) -> String {
        match self {
            Self::Constant(value) => format!("1'b{}", u8::from(*value)),
            Self::Pin(name) => name.clone(),
            Self::Not(inner) => format!("~{}", inner.verilog()),
            Self::Both(operator, a, b) => {
                let sign = match operator {
                    Operator::And => '&',
                    Operator::Or => '|',
                    Operator::Xor => '^',
                };
                format!("({} {sign} {})", a.verilog(), b.verilog())
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Name(String),
    Sign(char),
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut name = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_ascii_alphanumeric() || c == '_' || c == '[' || c == ']' {
            name.push(c);
            continue;
        }
        if !name.is_empty() {
            tokens.push(Token::Name(std::mem::take(&mut name)));
        }
        if !c.is_whitespace() {
            tokens.push(Token::Sign(c));
        }
    }
    tokens
}

/// Parentheses in parentheses.
const DEPTH: usize = 100;

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
}

impl Parser<'_> {
    fn sign(&mut self, signs: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Sign(c)) if signs.contains(*c));
        self.at += usize::from(found);
        found
    }

    fn or(&mut self, depth: usize) -> Option<Function> {
        let mut left = self.and(depth)?;
        while self.sign("+|") {
            left = Function::Both(Operator::Or, Box::new(left), Box::new(self.and(depth)?));
        }
        Some(left)
    }

    fn and(&mut self, depth: usize) -> Option<Function> {
        let mut left = self.xor(depth)?;
        loop {
            let next = self.tokens.get(self.at);
            let begins = matches!(next, Some(Token::Name(_) | Token::Sign('(' | '!')));
            if !self.sign("*&") && !begins {
                return Some(left);
            }
            left = Function::Both(Operator::And, Box::new(left), Box::new(self.xor(depth)?));
        }
    }

    /// Binds closest of the three.
    fn xor(&mut self, depth: usize) -> Option<Function> {
        let mut left = self.unary(depth)?;
        while self.sign("^") {
            left = Function::Both(Operator::Xor, Box::new(left), Box::new(self.unary(depth)?));
        }
        Some(left)
    }

    fn unary(&mut self, depth: usize) -> Option<Function> {
        if depth > DEPTH {
            return None;
        }
        if self.sign("!") {
            return Some(Function::Not(Box::new(self.unary(depth + 1)?)));
        }
        let mut inner = if self.sign("(") {
            let inner = self.or(depth + 1)?;
            if !self.sign(")") {
                return None;
            }
            inner
        } else {
            let Some(Token::Name(name)) = self.tokens.get(self.at) else { return None };
            self.at += 1;
            match name.as_str() {
                "0" => Function::Constant(false),
                "1" => Function::Constant(true),
                name => Function::Pin(name.to_owned()),
            }
        };
        while self.sign("'") {
            inner = Function::Not(Box::new(inner));
        }
        Some(inner)
    }
}
